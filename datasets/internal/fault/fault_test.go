package fault

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	kind := errors.New("data set")
	var l FaultList
	if err := l.Err(kind, "dir"); err != nil {
		t.Errorf("an empty list: %v, want nil", err)
	}
	l.Addf("", "the file is empty")
	for i := range 22 {
		l.Addf(fmt.Sprintf("record %d", i), "is %d, want %d", i, 0)
	}
	err := l.Err(kind, "dir/file")
	var all *DatasetError
	if !errors.Is(err, kind) || !errors.As(err, &all) || len(all.Faults) != 23 || l.Len() != 23 {
		t.Fatalf("error %v, want 23 faults", err)
	}
	text := err.Error()
	if !strings.HasPrefix(text, "data set: dir/file: 23 faults:\n  the file is empty\n  record 0: is 0, want 0\n") ||
		!strings.HasSuffix(text, "record 18: is 18, want 0\n  and 3 more") {
		t.Errorf("text %s", text)
	}
}

func TestListIsBounded(t *testing.T) {
	var l FaultList
	for range maxStoredFaults + 30 {
		l.Addf("pair", "wrong")
	}
	err := l.Err(errors.New("data set"), "file")
	var all *DatasetError
	if !errors.As(err, &all) || len(all.Faults) != maxStoredFaults || all.Omitted != 30 || l.Len() != maxStoredFaults+30 {
		t.Fatalf("%d faults kept", len(all.Faults))
	}
	if !strings.Contains(err.Error(), "10,030 faults") || !strings.HasSuffix(err.Error(), "and 10,010 more") {
		t.Errorf("text ends %s", err.Error()[len(err.Error())-30:])
	}
}
