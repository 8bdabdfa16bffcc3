package harness

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
)

// The servers without a model that StartMock starts.
const (
	MockOIP    = "oip-mock"
	MockOpenAI = "openai-mock"
)

// StartMock starts a server, with an optional command prefix, and returns the address that it prints.
func StartMock(t *testing.T, server string, prefix []string, args ...string) string {
	t.Helper()
	line := append(append(slices.Clone(prefix), filepath.Join(built.Dir(), server)), args...)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v printed no address: %v", line, err)
	}
	return strings.TrimSpace(address)
}

// MockClassifier returns the options of a server that has resnet50's tensors.
func MockClassifier(name, listen string) []string {
	return []string{"-listen", listen, "-name", name, "-model", "resnet50", "-in", "input_tensor:0=FP32[-1,3,224,224]",
		"-out", "ArgMax:0=INT64[-1]"}
}

// FreeAddress returns an address on which nobody listens at the moment.
func FreeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
