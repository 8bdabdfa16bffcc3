// Package pack packs a submission's tree into an archive, and unpacks it.
//
// The archive of a tree has the same bytes on every machine. It is a tar.gz of the folders closed, network and open
// only, or of an organisation's folder, in the order of names, without owners and times. A second file contains its
// sha256 in sha256sum's form.
//
// In scope: archives, their checksums. Out of scope: whether a tree may be submitted (package check), and encryption.
package pack

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/treefiles"
	"github.com/plumbline-ml/plumbline/internal/submission/repository"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// SumEnding is the suffix of the checksum file.
const SumEnding = ".sha256"

// Packed is the result of packing.
type Packed struct {
	Files   int
	Bytes   int64    // size of the files
	SHA256  string   // of the archive, in lower-case hex
	LeftOut []string // files and folders at the tree's root that do not belong to a submission
}

// WriteArchive packs the tree into a new file, reads the archive again and compares the contents of all files. It
// writes the checksum to a second file. Both files must not exist, and are written completely or not at all. Links,
// devices and unreadable folders are errors.
func WriteArchive(ctx context.Context, t *tree.Tree, file string) (p Packed, err error) {
	s := packScope{folders: tree.Divisions()}
	if _, err := t.ChooseSubmitters(""); err != nil {
		return p, errors.Join(append(s.checkTree(t, file), err)...)
	}
	return s.writeArchive(ctx, t, file)
}

// WriteWhole is Write for all files of a folder, which are below the folder's name in the archive. The folder is that
// of an organisation with a submission to MLPerf Endpoints.
func WriteWhole(ctx context.Context, t *tree.Tree, file string) (p Packed, err error) {
	return packScope{prefix: filepath.Base(t.Root())}.writeArchive(ctx, t, file)
}

// packScope is the part of a tree that is packed.
type packScope struct {
	folders []string // folders in the tree; nil: all
	prefix  string   // folder of the archive that contains it; empty: none
}

func (s packScope) includes(name string) bool {
	part, _, _ := strings.Cut(name, "/")
	return s.folders == nil || slices.Contains(s.folders, part)
}

func (s packScope) writeArchive(ctx context.Context, t *tree.Tree, file string) (p Packed, err error) {
	if err := errors.Join(s.checkTree(t, file)...); err != nil {
		return p, err
	}
	draft := file + "." + rand.Text() + ".tmp"
	defer func() {
		if err != nil {
			err = errors.Join(err, checkAbsent(os.Remove(draft)))
		}
	}()
	sums, err := s.writeDraft(ctx, t, draft, &p)
	if err != nil {
		return p, err
	}
	if p.SHA256, err = verifyArchive(ctx, draft, sums); err != nil {
		return p, err
	}
	if err := p.checkLimits(draft); err != nil {
		return p, err
	}
	if err := os.Rename(draft, file); err != nil {
		return p, err
	}
	line := p.SHA256 + "  " + filepath.Base(file) + "\n"
	if err := wholefile.Write(file+SumEnding, []byte(line), 0o644); err != nil {
		return p, errors.Join(err, os.Remove(file))
	}
	return p, nil
}

// checkLimits checks that Unpack accepts the archive.
func (p Packed) checkLimits(draft string) error {
	info, err := os.Stat(draft)
	if err != nil {
		return err
	}
	if most := limitsForSize(info.Size()).Bytes; info.Size() > maxArchive || p.Bytes > most {
		return fmt.Errorf("the tree has %d bytes, packed %d, want at most %d, packed %d: truncate its accuracy logs, and "+
			"leave out what no result needs", p.Bytes, info.Size(), most, int64(maxArchive))
	}
	return nil
}

func checkAbsent(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// checkTree checks that the tree can be packed, and that the new files are outside it.
func (s packScope) checkTree(t *tree.Tree, file string) []error {
	faults := t.Unread()
	for _, f := range repository.FindAllFaults(t) {
		if f.Kind == repository.Link || f.Kind == repository.Special {
			faults = append(faults, f)
		}
	}
	faults = append(faults, s.unpackFaults(t, file, archiveLimits())...)
	for _, name := range []string{file, file + SumEnding} {
		if _, err := os.Lstat(name); err == nil {
			faults = append(faults, fmt.Errorf("%s is there already: want a new file", name))
		}
	}
	ok, err := treefiles.IsOutside(t.Root(), file)
	if err == nil && !ok {
		err = fmt.Errorf("%s is in the tree %s: want a file outside", file, t.Root())
	}
	return append(faults, err)
}

// unpackFaults returns the reasons why Unpack would reject the tree's archive.
func (s packScope) unpackFaults(t *tree.Tree, file string, most fetch.Limits) (faults []error) {
	if _, err := parseSum(strings.Repeat("0", sha256.Size*2)+"  "+filepath.Base(file)+"\n", file+SumEnding); err != nil {
		faults = append(faults, fmt.Errorf("the file's name %q must not have a line break: give it another", file))
	}
	entries, bytes := 0, int64(0)
	for e := range t.All {
		if !s.includes(e.Path) {
			continue
		}
		if s.folders != nil && !strings.Contains(e.Path, "/") && !e.Dir {
			faults = append(faults, fmt.Errorf("%s is not a folder: want one", t.OSPath(e.Path)))
		}
		if _, err := fetch.EntryPath(path.Join(s.prefix, e.Path)); err != nil {
			faults = append(faults, fmt.Errorf("%s could not be unpacked: %w: give it another name", t.OSPath(e.Path), err))
		}
		entries++
		bytes += e.Size
	}
	if entries > most.Files || bytes > most.Bytes {
		faults = append(faults, fmt.Errorf("the tree has %d files and folders and %d bytes, want at most %d and %d", entries,
			bytes, most.Files, most.Bytes))
	}
	return faults
}

// treeSums contains the SHA-256 of a tree's files by path, and "" for folders.
type treeSums map[string]string

func (s packScope) writeDraft(ctx context.Context, t *tree.Tree, draft string, p *Packed) (all treeSums, err error) {
	f, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	zipped := gzip.NewWriter(f)
	archive := tar.NewWriter(zipped)
	all, err = s.addAll(ctx, t, archive, p)
	err = errors.Join(err, archive.Close(), zipped.Close())
	if err == nil {
		err = f.Sync()
	}
	return all, errors.Join(err, f.Close())
}

func (s packScope) addAll(ctx context.Context, t *tree.Tree, archive *tar.Writer, p *Packed) (treeSums, error) {
	all := treeSums{}
	if s.prefix != "" {
		all[s.prefix] = ""
		if err := archive.WriteHeader(folderHeader(s.prefix)); err != nil {
			return nil, err
		}
	}
	for e := range t.All {
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !s.includes(e.Path):
			if !strings.Contains(e.Path, "/") {
				p.LeftOut = append(p.LeftOut, e.Path)
			}
			continue
		}
		name := path.Join(s.prefix, e.Path)
		sum, err := addEntry(ctx, t, archive, e, name)
		if err != nil {
			return nil, err
		}
		if all[name] = sum; !e.Dir {
			p.Files++
			p.Bytes += e.Size
		}
	}
	return all, nil
}

func folderHeader(name string) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755}
}

// addEntry writes an entry of the archive under a name and returns the checksum of its content.
func addEntry(ctx context.Context, t *tree.Tree, archive *tar.Writer, e tree.Entry, name string) (sum string,
	err error) {
	if e.Dir {
		return "", archive.WriteHeader(folderHeader(name))
	}
	f, err := t.Open(e.Path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o644}
	if info.Mode().Perm()&0o100 != 0 {
		h.Mode = 0o755
	}
	if err := archive.WriteHeader(h); err != nil {
		return "", err
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(archive, hash), io.LimitReader(bounded.NewContextReader(ctx, f), info.Size()))
	if err == nil && n != info.Size() {
		err = fmt.Errorf("%s became shorter while it was read", t.OSPath(e.Path))
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

// verify reads an archive and checks that it contains exactly the wanted contents. It returns the archive's SHA-256.
func verifyArchive(ctx context.Context, file string, want treeSums) (sum string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	whole := io.TeeReader(bounded.NewContextReader(ctx, f), hash)
	zipped, err := gzip.NewReader(whole)
	if err != nil {
		return "", err
	}
	archive := tar.NewReader(zipped)
	for found := 0; ; found++ {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) && found == len(want) {
			break
		}
		if err == nil {
			err = compareEntry(archive, h, want)
		}
		if err = errors.Join(err, context.Cause(ctx)); err != nil {
			return "", fmt.Errorf("the archive as it is on the disk: %w", err)
		}
	}
	_, err = io.Copy(io.Discard, whole)
	return hex.EncodeToString(hash.Sum(nil)), err
}

func compareEntry(r io.Reader, h *tar.Header, want treeSums) error {
	expected, ok := want[strings.TrimSuffix(h.Name, "/")]
	if h.Typeflag == tar.TypeDir && ok && expected == "" {
		return nil
	}
	found, _, err := checksum.Contents(r)
	if err != nil {
		return err
	}
	if !ok || found != expected {
		return fmt.Errorf("%s has the sha256 %s, want %s: check the disk, and pack again", h.Name, found, expected)
	}
	return nil
}
