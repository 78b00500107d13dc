package statistics

// Draws returns how many of independent draws, each with a chance of its own, come true with a confidence, such as 0.99: fewer than least
// and more than most are each as unlikely as half of the rest (the binomial distribution of Poisson, exactly).
func Draws(chances []float64, confidence float64) (least, most int) {
	exactly := []float64{1} // by number: its probability
	for _, p := range chances {
		next := make([]float64, len(exactly)+1)
		for n, q := range exactly {
			next[n] += q * (1 - p)
			next[n+1] += q * p
		}
		exactly = next
	}
	tail := (1 - confidence) / 2
	below := 0.0
	for least = 0; below+exactly[least] <= tail; least++ {
		below += exactly[least]
	}
	above := 0.0
	for most = len(exactly) - 1; above+exactly[most] <= tail; most-- {
		above += exactly[most]
	}
	return least, most
}
