package chart

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"helm.sh/helm/v4/pkg/chart/common"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/engine"
)

// lines returns, by template, which line of it each line that it renders to stands in. The chart is rendered once more for that, with a
// mark before what templates have outside of actions. A line counts if it is the same without marks: whatever marks change is not known.
func (c Chart) lines(given map[string]any, rendered map[string]string) map[string][]int {
	all := map[string][]int{}
	for name, text := range rendered {
		all[name] = make([]int, strings.Count(text, "\n")+2)
	}
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard) // what Helm warns of was said before
	r, err := c.load(given)
	if err != nil {
		return all
	}
	names := slices.Sorted(maps.Keys(rendered))
	mark(r.Chart, names)
	values, err := r.values(c)
	if err != nil {
		return all
	}
	marked, err := engine.Render(r.Chart, values)
	if err != nil { // as a function may do that is given marks
		return all
	}
	for i, name := range names {
		is, with := strings.Split(rendered[name], "\n"), strings.Split(marked[name], "\n")
		if len(is) != len(with) {
			continue
		}
		for n, line := range with {
			first := marks.FindStringSubmatch(line)
			if first == nil || first[1] != strconv.Itoa(i) || marks.ReplaceAllLiteralString(line, "") != is[n] {
				continue
			}
			all[name][n+1], _ = strconv.Atoi(first[2]) // digits
		}
	}
	return all
}

// marks matches a mark, with the number of the template and of the line. No manifest has these characters.
var marks = regexp.MustCompile("\x01(\\d+):(\\d+)\x02")

// mark puts marks into the templates of a chart and of those that it depends on. Those of names are numbered.
func mark(c *helm.Chart, names []string) {
	marked := make([]*common.File, 0, len(c.Templates))
	for _, t := range c.Templates {
		if i, is := slices.BinarySearch(names, c.ChartFullPath()+"/"+t.Name); is {
			t = &common.File{Name: t.Name, Data: []byte(markText(string(t.Data), i))}
		}
		marked = append(marked, t)
	}
	c.Templates = marked
	for _, d := range c.Dependencies() {
		mark(d, names)
	}
}

// markText puts a mark before the first character of each line that is neither blank nor part of an action or of a definition. What trims
// blanks beside an action does the same as before.
func markText(text string, number int) string {
	tree := parse.New("")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(text, "", "", map[string]*parse.Tree{}); err != nil {
		return text
	}
	var b strings.Builder
	from := 0
	for _, node := range textsIn(tree.Root) {
		at := int(node.Pos)
		for line := range strings.Lines(string(node.Text)) {
			if blanks := len(line) - len(strings.TrimLeft(line, " \t\r\n")); blanks < len(line) {
				b.WriteString(text[from : at+blanks])
				from = at + blanks
				fmt.Fprintf(&b, "\x01%d:%d\x02", number, 1+strings.Count(text[:from], "\n"))
			}
			at += len(line)
		}
	}
	return b.String() + text[from:]
}

// textsIn returns what is written outside of actions, in its order.
func textsIn(nodes ...parse.Node) (texts []*parse.TextNode) {
	branch := func(b parse.BranchNode) []*parse.TextNode {
		if b.ElseList == nil {
			return textsIn(b.List)
		}
		return textsIn(b.List, b.ElseList)
	}
	for _, node := range nodes {
		switch n := node.(type) {
		case *parse.TextNode:
			texts = append(texts, n)
		case *parse.ListNode:
			texts = append(texts, textsIn(n.Nodes...)...)
		case *parse.IfNode:
			texts = append(texts, branch(n.BranchNode)...)
		case *parse.RangeNode:
			texts = append(texts, branch(n.BranchNode)...)
		case *parse.WithNode:
			texts = append(texts, branch(n.BranchNode)...)
		}
	}
	slices.SortFunc(texts, func(a, b *parse.TextNode) int { return cmp.Compare(a.Pos, b.Pos) })
	return texts
}
