package imagenet

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParseMap reads a list as long as ImageNet's validation set.
func BenchmarkParseMap(b *testing.B) {
	var list strings.Builder
	for i := range 50000 {
		fmt.Fprintf(&list, "ILSVRC2012_val_%08d.JPEG %d\n", i+1, i%Classes)
	}
	b.SetBytes(int64(list.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if entries, faults := parseMap(list.String(), Classes); len(entries) != 50000 || len(faults) > 0 {
			b.Fatalf("%d entries, %d faults", len(entries), len(faults))
		}
	}
}
