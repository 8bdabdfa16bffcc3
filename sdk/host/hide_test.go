package host_test

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// Hidden texts do not occur in the plugin's errors or in its output.
func TestSecretsOfAPluginAreHidden(t *testing.T) {
	for fault, hidden := range map[string]string{
		"usage-open":    "there is no ### model",
		"error-open":    "the ### asked for it",
		"error-collate": "the ### asked for it",
		"exit-run":      "out of ###",
		"exit":          "cannot start: the ### asked for it",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			var printed transcript
			o := host.LaunchOptions{Stderr: &printed, Hide: strings.NewReplacer("such", "###", "luck", "###", "fault",
				"###").Replace}
			p, err := launchWith(t, fault, o)
			if err == nil {
				_, err = startTest(t, p, loadgen.Offline)
				err = errors.Join(err, p.Close())
			}
			if err == nil {
				t.Fatal("nothing failed")
			}
			if !strings.Contains(err.Error(), hidden) {
				t.Errorf("%v, want one with %q", err, hidden)
			}
			for _, secret := range []string{"no such model", "out of luck", "the fault asked"} {
				if strings.Contains(err.Error()+printed.String(), secret) {
					t.Errorf("%q is in %v\nor printed:\n%s", secret, err, printed.String())
				}
			}
		})
	}
}

// transcript stores written text and can be read concurrently.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
