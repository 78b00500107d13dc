package compare

import "slices"

// sparkline draws values as blocks, the least as the lowest. The highest block is as far above it as the greatest value, and no less than
// span, so that differences between equal runs do not look like a change. A nil value, which was not measured, is a dot.
func sparkline(values []*float64, span float64) string {
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
	least := slices.Min(there)
	span = max(span, slices.Max(there)-least)
	var line []rune
	for _, x := range values {
		switch {
		case x == nil:
			line = append(line, '·')
		case span == 0:
			line = append(line, blocks[0])
		default:
			line = append(line, blocks[int((*x-least)/span*float64(len(blocks)-1)+0.5)])
		}
	}
	return string(line)
}
