//go:build linux

package main

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// attribute returns one attribute of a list, as the kernel writes it.
func attribute(kind int, values ...[]byte) []byte {
	value := slices.Concat(values...)
	b := binary.NativeEndian.AppendUint16(nil, uint16(unix.SizeofNlAttr+len(value)))
	b = binary.NativeEndian.AppendUint16(b, uint16(kind))
	b = append(b, value...)
	return append(b, make([]byte, (len(value)+3)&^3-len(value))...)
}

func name(kind int, text string) []byte { return attribute(kind, append([]byte(text), 0)) }

func word(kind int, n uint32) []byte { return attribute(kind, binary.BigEndian.AppendUint32(nil, n)) }

func handle(kind int, n uint64) []byte { return attribute(kind, binary.BigEndian.AppendUint64(nil, n)) }

func expression(kind string, data ...[]byte) []byte {
	return attribute(unix.NFTA_LIST_ELEM, name(unix.NFTA_EXPR_NAME, kind), attribute(unix.NFTA_EXPR_DATA, data...))
}

func goTo(chain string) []byte {
	const code = 0xfffffffc
	return attribute(unix.NFTA_DATA_VERDICT, word(unix.NFTA_VERDICT_CODE, code), name(unix.NFTA_VERDICT_CHAIN, chain))
}

func jump(chain string) []byte {
	return expression("immediate", word(unix.NFTA_IMMEDIATE_DREG, unix.NFT_REG_VERDICT), attribute(unix.NFTA_IMMEDIATE_DATA, goTo(chain)))
}

func loadInto(register uint32, value []byte) []byte {
	return expression("immediate", word(unix.NFTA_IMMEDIATE_DREG, register),
		attribute(unix.NFTA_IMMEDIATE_DATA, attribute(unix.NFTA_DATA_VALUE, value)))
}

func lookup(set string, register uint32) []byte {
	return expression("lookup", name(unix.NFTA_LOOKUP_SET, set), word(unix.NFTA_LOOKUP_SREG, 1), word(unix.NFTA_LOOKUP_DREG, register))
}

func translate(address, port uint32) []byte {
	return expression("nat", word(unix.NFTA_NAT_TYPE, unix.NFT_NAT_DNAT), word(unix.NFTA_NAT_FAMILY, unix.NFPROTO_IPV4),
		word(unix.NFTA_NAT_REG_ADDR_MIN, address), word(unix.NFTA_NAT_REG_PROTO_MIN, port))
}

// value returns an endpoint as stored in a map.
func value(e netip.AddrPort) []byte {
	return append(binary.BigEndian.AppendUint16(e.Addr().AsSlice(), e.Port()), 0, 0)
}

// A kernel collects the messages about one table, in the order in which they were sent.
type kernel struct {
	messages []message
	handle   uint64
}

const testTable = "kube-proxy"

func (k *kernel) say(kind int, parts ...[]byte) {
	body := slices.Concat(append([][]byte{name(1, testTable)}, parts...)...)
	k.messages = append(k.messages, message{Kind: kind, Family: unix.NFPROTO_IPV4, Body: body})
}

func (k *kernel) next() uint64 { k.handle++; return k.handle }

func (k *kernel) addChain(n string, parts ...[]byte) {
	k.say(unix.NFT_MSG_NEWCHAIN, append([][]byte{name(unix.NFTA_CHAIN_NAME, n)}, parts...)...)
}

func (k *kernel) addBase(n string) { k.addChain(n, attribute(unix.NFTA_CHAIN_HOOK)) }

func (k *kernel) addRule(chain string, expressions ...[]byte) uint64 {
	h := k.next()
	k.say(unix.NFT_MSG_NEWRULE, name(unix.NFTA_RULE_CHAIN, chain), handle(unix.NFTA_RULE_HANDLE, h),
		attribute(unix.NFTA_RULE_EXPRESSIONS, expressions...))
	return h
}

func (k *kernel) deleteRule(chain string, h uint64) {
	k.say(unix.NFT_MSG_DELRULE, name(unix.NFTA_RULE_CHAIN, chain), handle(unix.NFTA_RULE_HANDLE, h))
}

func (k *kernel) addMap(n string, h uint64) {
	k.say(unix.NFT_MSG_NEWSET, name(unix.NFTA_SET_NAME, n), word(unix.NFTA_SET_FLAGS, unix.NFT_SET_MAP), handle(16, h))
}

func (k *kernel) addElement(n, key string, data []byte) {
	k.element(unix.NFT_MSG_NEWSETELEM, n, attribute(unix.NFTA_SET_ELEM_KEY, []byte(key)), attribute(unix.NFTA_SET_ELEM_DATA, data))
}

func (k *kernel) deleteElement(n, key string) {
	k.element(unix.NFT_MSG_DELSETELEM, n, attribute(unix.NFTA_SET_ELEM_KEY, []byte(key)))
}

func (k *kernel) element(kind int, n string, parts ...[]byte) {
	k.say(kind, name(unix.NFTA_SET_ELEM_LIST_SET, n), attribute(unix.NFTA_SET_ELEM_LIST_ELEMENTS, attribute(unix.NFTA_LIST_ELEM, parts...)))
}

// shown returns the contents of a ruleset with one table after the messages, whose memory is overwritten by then.
func shown(t interface{ Fatal(...any) }, rs ruleset, messages []message) []string {
	for _, m := range messages {
		m.Body = slices.Clone(m.Body)
		if err := rs.apply(m); err != nil {
			t.Fatal(err)
		}
		clear(m.Body)
	}
	var texts []string
	for _, e := range rs.endpoints() {
		texts = append(texts, e.String())
	}
	return texts
}

func oneTable() ruleset {
	return newRuleset([]followedTable{{Family: unix.NFPROTO_IPV4, Name: testTable}})
}

// A rulesetRow has the endpoints that rules lead to.
type rulesetRow struct {
	sentence string
	make     func(k *kernel)
	want     []string
}

func runRulesetRows(t *testing.T, rows []rulesetRow) {
	for _, tc := range rows {
		t.Run(tc.sentence, func(t *testing.T) {
			var k kernel
			tc.make(&k)
			if diff := cmp.Diff(tc.want, shown(t, oneTable(), k.messages)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func rulePod() netip.AddrPort { return netip.MustParseAddrPort("10.244.1.2:8080") }

// constantRule returns the expressions of a rule that leads to an endpoint.
func constantRule(to netip.AddrPort) [][]byte {
	return [][]byte{loadInto(1, to.Addr().AsSlice()), loadInto(2, value(to)[4:6]), translate(1, 2)}
}

func TestWhereRulesLead(t *testing.T) {
	pod, other := rulePod(), netip.MustParseAddrPort("10.244.2.2:8080")
	constant := constantRule(pod)
	runRulesetRows(t, []rulesetRow{
		{"an empty table", func(k *kernel) {}, nil},
		{"a rule where packets enter", func(k *kernel) { k.addBase("nat"); k.addRule("nat", constant...) }, []string{"10.244.1.2:8080"}},
		{"a chain that nothing leads to", func(k *kernel) { k.addBase("nat"); k.addChain("left"); k.addRule("left", constant...) }, nil},
		{"a chain that is gone on in", func(k *kernel) {
			k.addBase("nat")
			k.addRule("nat", jump("pod"))
			k.addRule("pod", constant...)
		}, []string{"10.244.1.2:8080"}},
		{"two chains that lead to each other", func(k *kernel) {
			k.addBase("nat")
			k.addRule("nat", jump("a"))
			k.addRule("a", jump("b"))
			k.addRule("b", jump("a"))
		}, nil},
		{"a map to chains, as kube-proxy up to 1.35 and for session affinity", func(k *kernel) {
			k.addBase("nat")
			k.addMap("__map0", 7)
			k.addElement("__map0", "\x00", goTo("pod"))
			k.addRule("nat", lookup("__map0", unix.NFT_REG_VERDICT))
			k.addRule("pod", constant...)
		}, []string{"10.244.1.2:8080"}},
		{"a map to destinations, as kube-proxy since 1.36", func(k *kernel) {
			k.addBase("nat")
			k.addMap("__map0", 7)
			k.addElement("__map0", "\x00", attribute(unix.NFTA_DATA_VALUE, value(pod)))
			k.addElement("__map0", "\x01", attribute(unix.NFTA_DATA_VALUE, value(other)))
			k.addRule("nat", lookup("__map0", 1), translate(1, 9))
		}, []string{"10.244.1.2:8080", "10.244.2.2:8080"}},
		{"another family's table of the name", func(k *kernel) {
			k.addBase("nat")
			k.addRule("nat", constant...)
			for i := range k.messages {
				k.messages[i].Family = unix.NFPROTO_INET
			}
		}, nil},
	})
}

func TestWhereRulesThatEndLed(t *testing.T) {
	constant := constantRule(rulePod())
	runRulesetRows(t, []rulesetRow{
		{"an element leaves a map", func(k *kernel) {
			k.addBase("nat")
			k.addMap("m", 7)
			k.addElement("m", "\x00", goTo("pod"))
			k.addRule("nat", lookup("m", unix.NFT_REG_VERDICT))
			k.addRule("pod", constant...)
			k.deleteElement("m", "\x00")
		}, nil},
		{"a map is added again, which changes nothing", func(k *kernel) {
			k.addBase("nat")
			k.addMap("m", 7)
			k.addElement("m", "\x00", goTo("pod"))
			k.addMap("m", 7)
			k.addRule("nat", lookup("m", unix.NFT_REG_VERDICT))
			k.addRule("pod", constant...)
		}, []string{"10.244.1.2:8080"}},
		{"the name of a map that ended unsaid is given to another", func(k *kernel) {
			k.addBase("nat")
			k.addMap("__map0", 7)
			k.addElement("__map0", "\x00", goTo("pod"))
			k.addMap("__map0", 8)
			k.addRule("nat", lookup("__map0", unix.NFT_REG_VERDICT))
			k.addRule("pod", constant...)
		}, nil},
		{"a rule ends", func(k *kernel) {
			k.addBase("nat")
			k.deleteRule("nat", k.addRule("nat", constant...))
		}, nil},
		{"a chain ends", func(k *kernel) {
			k.addBase("nat")
			k.addRule("nat", constant...)
			k.say(unix.NFT_MSG_DELCHAIN, name(unix.NFTA_CHAIN_NAME, "nat"))
		}, nil},
		{"the table ends", func(k *kernel) {
			k.addBase("nat")
			k.addRule("nat", constant...)
			k.say(unix.NFT_MSG_DELTABLE)
		}, nil},
	})
}

func TestWhereTargetsOfIptablesLead(t *testing.T) {
	pod := rulePod()
	dnat := func(revision uint32, options ...[]byte) []byte {
		return expression("target", name(unix.NFTA_TARGET_NAME, "DNAT"), word(unix.NFTA_TARGET_REV, revision),
			attribute(unix.NFTA_TARGET_INFO, options...))
	}
	flags := func(n uint32) []byte { return binary.NativeEndian.AppendUint32(nil, n) }
	filler := func(n int) []byte { return make([]byte, n) }
	runRulesetRows(t, []rulesetRow{
		{"a target of iptables, revision 2", func(k *kernel) {
			k.addBase("nat")
			k.addRule("nat", dnat(2, flags(3), pod.Addr().AsSlice(), filler(28), value(pod)[4:6], value(pod)[4:6], filler(4)))
		}, []string{"10.244.1.2:8080"}},
		{"a target of iptables, revision 0", func(k *kernel) {
			k.addBase("nat")
			k.addRule("nat", dnat(0, flags(1), flags(3), pod.Addr().AsSlice(), pod.Addr().AsSlice(), value(pod)[4:6], value(pod)[4:6]))
		}, []string{"10.244.1.2:8080"}},
		{"a target that leaves the port alone is not an endpoint", func(k *kernel) {
			k.addBase("nat")
			k.addRule("nat", dnat(2, flags(1), pod.Addr().AsSlice(), filler(36)))
		}, nil},
	})
}

func TestOnlyChainsThatCountAreFollowed(t *testing.T) {
	constant := constantRule(rulePod())
	for _, tc := range []struct {
		sentence string
		chain    string
		want     []string
	}{
		{"one of kube-proxy's", "KUBE-SERVICES", []string{"10.244.1.2:8080"}},
		{"one of somebody else", "CNI-HOSTPORT-DNAT", nil},
		{"that packets enter at, which is everybody's", "PREROUTING", nil},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			var k kernel
			k.addBase("PREROUTING")
			k.addRule("PREROUTING", jump(tc.chain))
			k.addRule(tc.chain, constant...)
			rs := newRuleset([]followedTable{{Family: unix.NFPROTO_IPV4, Name: testTable, Chains: "KUBE-"}})
			if diff := cmp.Diff(tc.want, shown(t, rs, k.messages)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestEventsAddUp replaces the endpoints of a Service again and again, the way kube-proxy does.
func TestEventsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k kernel
		k.addBase("nat")
		rs, last := oneTable(), uint64(0)
		for step := range rapid.IntRange(1, 6).Draw(t, "steps") {
			pods := rapid.SliceOfNDistinct(rapid.IntRange(1, 9), 0, 5, rapid.ID[int]).Draw(t, "pods")
			chains := rapid.Bool().Draw(t, "chains")
			if last != 0 {
				k.deleteRule("nat", last)
			}
			k.addMap("__map0", uint64(1000+step))
			var want []string
			for i, n := range pods {
				pod := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 244, 1, byte(n)}), 8080)
				want = append(want, pod.String())
				if !chains {
					k.addElement("__map0", string(rune(i)), attribute(unix.NFTA_DATA_VALUE, value(pod)))
					continue
				}
				chain := fmt.Sprint("endpoint-", step, "-", n)
				k.addChain(chain)
				k.addRule(chain, loadInto(1, pod.Addr().AsSlice()), loadInto(2, value(pod)[4:6]), translate(1, 2))
				k.addElement("__map0", string(rune(i)), goTo(chain))
			}
			slices.Sort(want)
			if chains {
				last = k.addRule("nat", lookup("__map0", unix.NFT_REG_VERDICT))
			} else {
				last = k.addRule("nat", lookup("__map0", 1), translate(1, 9))
			}
			if diff := cmp.Diff(want, shown(t, rs, k.messages)); diff != "" {
				t.Fatal(diff)
			}
			k.messages = nil
		}
	})
}

func FuzzMessages(f *testing.F) {
	var k kernel
	k.addBase("nat")
	k.addMap("m", 1)
	k.addElement("m", "k", goTo("c"))
	k.addRule("nat", lookup("m", 0), loadInto(1, make([]byte, 4)), translate(1, 2))
	for _, m := range k.messages {
		f.Add(m.Kind, m.Body)
	}
	f.Fuzz(func(t *testing.T, kind int, body []byte) {
		_, _, _ = splitMessages(body)
		rs := oneTable()
		if rs.apply(message{Kind: kind, Family: unix.NFPROTO_IPV4, Body: append(name(1, testTable), body...)}) == nil {
			rs.endpoints()
		}
	})
}
