package nodeimage

import (
	"testing"

	"example.com/rollcall/harness/kube"
)

func TestTagHasAHashOfTheInputs(t *testing.T) {
	was := tag(kube.Default)
	if tag("v1.36.3") == was {
		t.Error("two Kubernetes versions have one tag")
	}
	other := debian
	other.Packages = append([]string{"vim"}, debian.Packages...)
	if tagOf(kube.Default, other) == was {
		t.Error("another package list has the same tag")
	}
}
