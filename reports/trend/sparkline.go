package trend

import "slices"

// sparkline draws values as blocks, the least as the lowest and the most as the highest; nil, which was not measured,
// is a dot.
func sparkline(values []*float64) string {
	blocks := []rune("▁▂▃▄▅▆▇█")
	var there []float64
	for _, x := range values {
		if x != nil {
			there = append(there, *x)
		}
	}
	if len(there) == 0 {
		return ""
	}
	least, most := slices.Min(there), slices.Max(there)
	var line []rune
	for _, x := range values {
		switch {
		case x == nil:
			line = append(line, '·')
		case most == least:
			line = append(line, blocks[0])
		default:
			line = append(line, blocks[int((*x-least)/(most-least)*float64(len(blocks)-1)+0.5)])
		}
	}
	return string(line)
}
