package patch

import "strings"

// lineDiff returns a line diff: lines of both texts after a space, those of before alone after -, those of after alone after +.
func lineDiff(before, after string) string {
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	a, b = a[:len(a)-1], b[:len(b)-1]
	common := make([][]int, len(a)+1) // lines in the longest common subsequence of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var diff strings.Builder
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			diff.WriteString(" " + a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			diff.WriteString("-" + a[i])
			i++
		default:
			diff.WriteString("+" + b[j])
			j++
		}
	}
	return diff.String()
}
