package pack

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/fetch"

	"github.com/plumbline-ml/plumbline/internal/submission/repository"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Unpack compares an archive with its checksum and unpacks it into the new folder out, completely or not at all. The
// checksum is sum, or that in the checksum file if sum is empty. Unpack rejects paths outside out, links, devices,
// archives above the limits, and folders other than closed, network and open.
func Unpack(ctx context.Context, file, sum, out string) (sha256 string, err error) {
	if _, err := os.Lstat(out); err == nil {
		return "", fmt.Errorf("%s is there already: want a new folder", out)
	}
	if sum == "" {
		if sum, err = readSum(file); err != nil {
			return "", err
		}
	}
	found, size, err := archiveSum(ctx, file)
	if err != nil {
		return "", err
	}
	if !strings.EqualFold(found, sum) {
		return "", fmt.Errorf("%s has the sha256 %s, want %s: it is damaged or another one", file, found, sum)
	}
	draft := filepath.Clean(out) + "." + rand.Text() + ".tmp"
	err = fetch.Unpack(ctx, file, draft, limitsForSize(size))
	if err == nil {
		err = checkOnlySubmission(draft)
	}
	if err == nil {
		err = os.Rename(draft, out)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("%s: %w", file, err), os.RemoveAll(draft))
	}
	return found, nil
}

// Limits of an archive and its contents. The submissions' repository accepts files of up to 50 MiB. LoadGen's logs
// compress to a tenth or a thirtieth.
const (
	maxArchive       = 16 << 30 // bytes of an archive
	maxRatio         = 100      // unpacked bytes per byte of the archive
	maxAnyRatioBytes = 1 << 30  // unpacked bytes for which the ratio does not matter
)

// archiveLimits returns the limits of an archive's contents. They also apply to packing.
func archiveLimits() fetch.Limits { return fetch.Limits{Bytes: 16 << 30, Files: 1 << 20} }

// limitsForSize returns the limits for an archive with a size in bytes.
func limitsForSize(size int64) fetch.Limits {
	l := archiveLimits()
	l.Bytes = min(l.Bytes, maxAnyRatioBytes+maxRatio*size)
	return l
}

// archiveSum returns the SHA-256 and the size of an archive.
func archiveSum(ctx context.Context, file string) (sum string, size int64, err error) {
	f, err := bounded.OpenUpTo(file, maxArchive)
	if err != nil {
		return "", 0, err
	}
	sum, size, err = checksum.Contents(bounded.NewContextReader(ctx, f))
	return sum, size, errors.Join(err, f.Close())
}

var sumLine = regexp.MustCompile(`^([0-9a-fA-F]{64}) [ *]([^/\n]+)\n?$`)

// maxSumSize is the maximum size in bytes of a checksum file.
const maxSumSize = 64 << 10

// readSum reads the checksum file of an archive.
func readSum(file string) (sum string, err error) {
	name := file + SumEnding
	text, err := bounded.ReadFile(name, maxSumSize)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: give the sha256 that came with the archive, or put its file there", err)
	}
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

// checkOnlySubmission checks that the unpacked files form a submission's tree.
func checkOnlySubmission(dir string) error {
	t, err := tree.Open(dir, "")
	if err != nil {
		return err
	}
	defer t.Close()
	var faults []error
	for _, e := range t.Entries(".") {
		if isOrganisation(t) {
			break
		}
		if !e.Dir || !slices.Contains(tree.Divisions(), e.Name) {
			faults = append(faults, fmt.Errorf("it has %s, want closed, network and open alone", e.Name))
		}
	}
	for _, f := range repository.FindAllFaults(t) {
		if f.Kind == repository.Link {
			faults = append(faults, f)
		}
	}
	return errors.Join(faults...)
}

// isOrganisation reports whether a tree consists of one folder with a submission to MLPerf Endpoints:
// ORG/SUBMISSION_ID/results.
func isOrganisation(t *tree.Tree) bool {
	top := t.Entries(".")
	if len(top) != 1 || !top[0].Dir {
		return false
	}
	inner := t.Entries(top[0].Name)
	return len(inner) == 1 && inner[0].Dir && t.HasDir(inner[0].Path+"/results")
}
