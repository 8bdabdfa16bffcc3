package pack

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/fetch"
	"github.com/plumbline-ml/plumbline/internal/checksum"

	"github.com/plumbline-ml/plumbline/submission/repository"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// Unpack compares an archive with its checksum, the one in the file beside it or, where sum is not empty, that one, and
// unpacks it into the new folder out, which appears whole or not at all. What would lie outside of out, links, devices,
// and anything but closed, network and open are refused.
func Unpack(ctx context.Context, file, sum, out string) (sha256 string, err error) {
	if _, err := os.Lstat(out); err == nil {
		return "", fmt.Errorf("%s is there already: want a new folder", out)
	}
	if sum == "" {
		if sum, err = readSum(file); err != nil {
			return "", err
		}
	}
	found, _, err := checksum.File(file)
	if err != nil {
		return "", err
	}
	if !strings.EqualFold(found, sum) {
		return "", fmt.Errorf("%s has the sha256 %s, want %s: it is damaged or another one", file, found, sum)
	}
	draft := filepath.Clean(out) + "." + rand.Text() + ".tmp"
	err = fetch.Unpack(ctx, file, draft, fetch.Limits{})
	if err == nil {
		err = onlySubmission(draft)
	}
	if err == nil {
		err = os.Rename(draft, out)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("%s: %w", file, err), os.RemoveAll(draft))
	}
	return found, nil
}

var sumLine = regexp.MustCompile(`^([0-9a-fA-F]{64}) [ *]([^/\n]+)\n?$`)

// maxSum is more bytes than a line with a checksum has.
const maxSum = 64 << 10

// readSum reads the checksum beside an archive.
func readSum(file string) (sum string, err error) {
	name := file + SumEnding
	info, err := os.Stat(name)
	if err != nil {
		return "", fmt.Errorf("%w: give the sha256 that came with the archive, or put its file there", err)
	}
	if info.Size() > maxSum {
		return "", fmt.Errorf("%s has %d bytes, want one line: SHA256  NAME", name, info.Size())
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	return parseSum(string(text), name)
}

func parseSum(text, name string) (sum string, err error) {
	m := sumLine.FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("%s has %.100q, want one line: SHA256  NAME", name, text)
	}
	return m[1], nil
}

// onlySubmission wants what was unpacked to be a tree of a submission.
func onlySubmission(dir string) error {
	t, err := tree.Open(dir, "")
	if err != nil {
		return err
	}
	defer t.Close()
	var faults []error
	for _, e := range t.Entries(".") {
		if !e.Dir || !slices.Contains(tree.Divisions(), e.Name) {
			faults = append(faults, fmt.Errorf("it has %s, want closed, network and open alone", e.Name))
		}
	}
	for _, f := range repository.All(t) {
		if f.Kind == repository.Link {
			faults = append(faults, f)
		}
	}
	return errors.Join(faults...)
}
