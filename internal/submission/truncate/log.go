package truncate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// The rules' sizes in bytes. A log of Limit or more is replaced with View bytes of its head, Gap, and View bytes of its
// tail.
const (
	MinTruncated = 10 * 1024
	KeptBytes    = 4096
	GapText      = "\n\n...\n\n"
)

// Action is the action taken on a log.
type Action string

// The actions. Hashed means that the log is small: accuracy.txt contains its hash, and the log is unchanged.
const (
	Truncated       Action = "truncated"
	Hashed          Action = "kept whole, hash written"
	Done            Action = "done before"
	OriginalMissing Action = "done before, original not in the store"
)

// Outcome is the result for one log.
type Outcome struct {
	Log      string // path of the log
	Action   Action
	Hash     string // SHA-256 of the whole log in lower-case hex, as in accuracy.txt
	Size     int64  // size of the whole log in bytes; 0: unknown
	Original string // path of the original in the store; empty: the log is whole, or Unkept
}

// TruncateLog truncates the log of one accuracy folder of a scenario or of an audit. The name TESTnn of the parent
// folder identifies an audit, which does not require accuracy.txt. Log does not repeat completed work.
//
// It returns an error and changes nothing if accuracy.txt is missing, if its hash belongs to another log, or if a log
// was truncated without a recorded hash. ctx can stop the reading of a large log.
func (s *Store) TruncateLog(ctx context.Context, dir string) (Outcome, error) {
	a, err := openFolder(dir)
	if err != nil {
		return Outcome{Log: filepath.Join(dir, tree.AccuracyLog)}, err
	}
	out := Outcome{Log: a.log, Hash: a.notedHash, Size: a.size}
	switch {
	case a.size >= MinTruncated:
		err = s.storeAndTruncate(ctx, a, &out)
	case a.isTruncated:
		err = s.findOriginal(a, &out)
	default:
		err = noteWhole(ctx, a, &out)
	}
	return out, err
}

// accuracyFolder is the state of an accuracy folder.
type accuracyFolder struct {
	log, score  string // paths
	size        int64  // size of the log
	mode        fs.FileMode
	scoreMode   fs.FileMode // mode of accuracy.txt, or of a new one
	isTruncated bool        // the log has been truncated
	unix        []byte      // the log with LoadGen's line ends, if it is small
	text        []byte      // accuracy.txt; nil: no such file
	notedHash   string      // hash in accuracy.txt; empty: none
}

// maxScoreSize is the maximum size of accuracy.txt in bytes.
const maxScoreSize = 16 << 20

func openFolder(dir string) (a accuracyFolder, err error) {
	a.log, a.score = filepath.Join(dir, tree.AccuracyLog), filepath.Join(dir, tree.AccuracyText)
	info, err := requireRegular(a.log)
	if err != nil {
		return a, err
	}
	a.size, a.mode, a.scoreMode = info.Size(), info.Mode().Perm(), info.Mode().Perm()
	if a.size < MinTruncated {
		text, err := os.ReadFile(a.log)
		if err != nil {
			return a, err
		}
		a.unix = unixLines(text)
		a.isTruncated = bytes.Contains(a.unix, []byte(GapText))
	}
	return a, a.readScore(isAuditFolder(dir))
}

// readScore reads accuracy.txt, which is optional for an audit.
func (a *accuracyFolder) readScore(audit bool) error {
	info, err := requireRegular(a.score)
	switch {
	case errors.Is(err, fs.ErrNotExist) && audit:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is missing: score the whole log before it is truncated", a.score)
	case err != nil:
		return err
	case info.Size() > maxScoreSize:
		return fmt.Errorf("%s has %d bytes, want the few lines of a score", a.score, info.Size())
	}
	a.scoreMode = info.Mode().Perm()
	if a.text, err = os.ReadFile(a.score); err == nil {
		a.notedHash, err = notedHash(a.text, a.score)
	}
	return err
}

// unixLines converts a text to LoadGen's line ends. Git changes them if core.autocrlf is set.
func unixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// requireRegular requires a regular file. A link is an error, because its target would stay unchanged.
func requireRegular(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file of its own: want one in the place of a link or folder", path)
	}
	return info, err
}

var auditName = regexp.MustCompile(`^TEST\d\d$`)

func isAuditFolder(dir string) bool {
	whole, err := filepath.Abs(dir)
	return err == nil && auditName.MatchString(filepath.Base(filepath.Dir(whole)))
}

var hashLine = regexp.MustCompile(`(?m)^hash=(\w+)\r?$`)

// notedHash returns the hash in accuracy.txt.
func notedHash(text []byte, path string) (hash string, err error) {
	for _, found := range hashLine.FindAllSubmatch(text, -1) {
		next := strings.ToLower(string(found[1]))
		if hash != "" && next != hash {
			return "", fmt.Errorf("%s has two hashes, %s and %s: leave the line of the log it was made from", path, hash, next)
		}
		hash = next
	}
	return hash, nil
}

// storeAndTruncate stores the log, records its hash and truncates it, in this order.
func (s *Store) storeAndTruncate(ctx context.Context, a accuracyFolder, out *Outcome) (err error) {
	if out.Hash, err = s.keepFile(ctx, a.log); err != nil {
		return err
	}
	out.Action, out.Original = Truncated, s.Path(out.Hash)
	if err := a.noteHash(out.Hash); err != nil {
		return err
	}
	short, err := cutFile(out.Original)
	if err != nil {
		return err
	}
	if err := wholefile.Write(a.log, short, a.mode); err != nil {
		return err
	}
	return makeReadOnly(out.Original)
}

// makeReadOnly makes an original read-only, if it has no other name.
func makeReadOnly(path string) error {
	const readOnly = 0o444
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() == readOnly {
		return err
	}
	return os.Chmod(path, readOnly)
}

// noteHash adds the hash to accuracy.txt, once.
func (a accuracyFolder) noteHash(hash string) error {
	switch a.notedHash {
	case hash:
		return nil
	case "":
		text := append(bytes.Clone(a.text), "\nhash="+hash+"\n"...)
		if a.text == nil { // an audit's new file contains only the hash
			text = text[1:]
		}
		return wholefile.Write(a.score, text, a.scoreMode)
	}
	return fmt.Errorf("%s has the hash %s, the log beside it %s: score this log again, or bring back the one that was "+
		"scored", a.score, a.notedHash, hash)
}

// noteWhole records the hash of a log that is too small to truncate.
func noteWhole(ctx context.Context, a accuracyFolder, out *Outcome) (err error) {
	if out.Hash, err = hashFile(ctx, a.log); err != nil {
		return err
	}
	if sum := sha256.Sum256(a.unix); hex.EncodeToString(sum[:]) == a.notedHash {
		out.Hash = a.notedHash
	}
	if out.Action = Hashed; a.notedHash == out.Hash {
		out.Action = Done
	}
	return a.noteHash(out.Hash)
}

// findOriginal finds the original of a truncated log. It does not read it; Check does.
func (s *Store) findOriginal(a accuracyFolder, out *Outcome) error {
	out.Size = 0
	if a.notedHash == "" {
		return fmt.Errorf("%s is cut, and %s has no hash of the whole log: bring back the original", a.log, a.score)
	}
	short, err := cutFile(s.Path(a.notedHash))
	if errors.Is(err, fs.ErrNotExist) {
		out.Action = OriginalMissing
		return nil
	}
	if err != nil {
		return err
	}
	if !bytes.Equal(short, a.unix) {
		return fmt.Errorf("%s is not what is left of %s, which has the hash of %s: bring back the original",
			a.log, s.Path(a.notedHash), a.score)
	}
	out.Action, out.Original = Done, s.Path(a.notedHash)
	info, err := os.Stat(out.Original)
	if err == nil {
		out.Size = info.Size()
	}
	return err
}

// cutFile returns the truncated form of the log at path.
func cutFile(path string) ([]byte, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if size < KeptBytes {
		return nil, fmt.Errorf("%s has %d bytes: too few to have been cut", path, size)
	}
	head, tail := make([]byte, KeptBytes), make([]byte, KeptBytes)
	_, err = f.ReadAt(head, 0)
	if err == nil {
		_, err = f.ReadAt(tail, size-KeptBytes)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return append(append(head, GapText...), tail...), nil
}
