package endpoints_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
)

// TestBombOfMergeKeys: a configuration that stands for more than any memory holds is refused, and not written out.
func TestBombOfMergeKeys(t *testing.T) {
	for _, line := range []string{"{<<: [*, *]}", "{<<: *, b: *}", "[*, *]"} {
		text := "endpoint_config: {endpoints: [x]}\na0: &a0 {x: 1}\n"
		for i := 1; i < 40; i++ {
			text += fmt.Sprintf("a%d: &a%d %s\n", i, i, strings.ReplaceAll(line, "*", fmt.Sprintf("*a%d", i-1)))
		}
		if _, err := endpoints.ReadConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), "unfold to more than") {
			t.Errorf("%s: %v", line, err)
		}
		_ = endpoints.IsConfig([]byte(text))
		_ = endpoints.IsReplay([]byte(text))
	}
}
