package serving_test

import (
	"os"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// TestConditionsBeforeTheFirstRequest: conditions that no point can meet are refused before the server is asked, of
// which there is none here, and by --dry-run and a suite, too.
func TestConditionsBeforeTheFirstRequest(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	const nowhere = "http://127.0.0.1:1"
	quickly := []string{"--isl", "8", "--osl", "4", "--concurrency", "2", "--requests", "4"}
	for _, c := range []struct {
		condition, says string
		flags           []string
	}{
		{"p99 > 5", `did you mean "ttft.p99" or "ttfo.p99" or "tpot.p99" or "e2e.p99"?`, nil},
		{"mean > 5", `"ttft.mean"`, nil},
		{"ttft.p98 > 5ms", `did you mean "ttft.p9`, nil},
		{"ttft.p99.5 > 5ms", `unknown metric "ttft.p99.5"`, nil},
		{"ttft.p99 > 5 parsecs", "the unit of ttft.p99 is ns, us, ms or s", nil},
		{"e2e.mean > 5 tokens/s", "the unit of e2e.mean", nil},
		{"failed > 5 ms", "the unit of failed is %", nil},
		{"Server.ttft.p99 > 5ms", "there is no such run", nil},
		{"other/ttft.p99 > 5ms", "there is no such run; there are mine serving", []string{"--model", "mine"}},
		{"accuracy > 5", `unknown metric "accuracy"`, nil},
		{"latency.p99 > 5ms", "unknown metric", nil},
		{"ttft.p99 > +5%", "compares with a base", nil},
		{"goodput < 5", "it takes --slo TERMS", nil},
		{"attainment < 5%", "it takes --slo TERMS", nil},
		{"power.token > 5 J", "it takes --power METER", nil},
		{"tokens_per_second_per_gpu < 5", "it takes --gpus N", nil},
		{"cost > 5", "it takes --price PRICE", nil},
		{"tpot.p99 > 5ms", "it takes --stream on", []string{"--stream", "off"}},
		{"user < 5", "it takes an API that answers with tokens", []string{"--api", "embeddings", "--osl", ""}},
	} {
		args := append(append([]string{"bench", nowhere, "--fail-if", c.condition}, quickly...), c.flags...)
		s.Want(2, s.Run(args...), "--fail-if: condition", c.says)
		s.Want(2, s.Run(append(args, "--dry-run")...), c.says)
	}
	for condition, flags := range map[string][]string{
		"ttft.p99 > 5ms": nil, "mine/ttft.p99 > 5ms": nil, "E2E.P50 > 1 s": nil, "requests < 3": nil, "failed > 1%": nil,
		"ttft.p99.5 > 5ms": {"--slo", "p99.5 ttft < 1s"}, "goodput < 5": {"--slo", "ttft < 1s"},
		"tokens_per_second_per_gpu < 5": {"--gpus", "2"}, "user < 1 tokens/s": nil,
		"tokens_per_second < 5": {"--stream", "off"},
	} {
		s.Want(0, s.Run(append(append([]string{"bench", nowhere, "--fail-if", condition, "--dry-run"}, quickly...),
			flags...)...))
	}
	write(t, "mix.yaml", "runs:\n- {bench: '"+nowhere+"', concurrency: 1}\n- {run: resnet50, scenario: Offline}\n")
	s.Want(2, s.Run("run", "mix.yaml", "--fail-if", "goodput < 5"), "it takes --slo TERMS")
	s.Want(2, s.Run("run", "mix.yaml", "--fail-if", "Server.ttft.p99 > 5ms"), "there is no such run")
	s.Want(0, s.Run("run", "mix.yaml", "--fail-if", "ttft.p99 > 5ms", "--fail-if", "any/tpot.p50 > 1s", "--dry-run"))
	for _, name := range []string{"bench-1", "mix"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}
