package osprocess_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/internal/osprocess"
)

func TestTimeGrowsWithWork(t *testing.T) {
	before, err := osprocess.ProcessorTime(os.Getpid())
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < 20*time.Millisecond; {
	}
	after, err := osprocess.ProcessorTime(os.Getpid())
	if err != nil || after <= before {
		t.Errorf("%v after some work, %v before it, error %v", after, before, err)
	}
	if twice, err := osprocess.ProcessorTime(os.Getpid(), os.Getpid()); err != nil || twice < 2*after {
		t.Errorf("%v for two processes of %v, error %v", twice, after, err)
	}
}

func TestTimeOfNoProcess(t *testing.T) {
	if _, err := osprocess.ProcessorTime(1 << 25); err == nil {
		t.Error("a process whose number cannot be has a time")
	}
}
