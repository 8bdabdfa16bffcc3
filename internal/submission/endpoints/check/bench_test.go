package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/testkit/madetrees"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// BenchmarkCheck checks a submission of one curve of 32 points, on the disk. KEEP names a folder for the tree: another
// checker can then be measured on it.
func BenchmarkCheck(b *testing.B) {
	const curve = "sub/results/X200x8/gpt-oss-120b"
	base := madetrees.Unpack(b, filepath.Join(golden.Root(b), "endpoints", "base", "dedicated.tar.gz"))
	p, err := plan.ChoosePlan(plan.Options{Model: "gpt-oss-120b", CMax: 512, Points: 32}, endpoints.NewestRules())
	if err != nil {
		b.Fatal(err)
	}
	org := filepath.Join(b.TempDir(), "org")
	if keep := os.Getenv("KEEP"); keep != "" {
		org = keep
	}
	madetrees.Write(b, planned(base, curve, p), org)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Check(org, endpoints.NewestRules()); err != nil {
			b.Fatal(err)
		}
	}
}
