package cputime_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/internal/cputime"
)

func TestTimeGrowsWithWork(t *testing.T) {
	before, err := cputime.Of(os.Getpid())
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < 20*time.Millisecond; {
	}
	after, err := cputime.Of(os.Getpid())
	if err != nil || after <= before {
		t.Errorf("%v after some work, %v before it, error %v", after, before, err)
	}
	if twice, err := cputime.Of(os.Getpid(), os.Getpid()); err != nil || twice < 2*after {
		t.Errorf("%v for two processes of %v, error %v", twice, after, err)
	}
}

func TestNoSuchProcess(t *testing.T) {
	if _, err := cputime.Of(1 << 25); err == nil {
		t.Error("a process whose number cannot be has a time")
	}
}
