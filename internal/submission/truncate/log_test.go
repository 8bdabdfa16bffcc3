package truncate_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/truncate"
)

// lab is a tree with one result, and a store beside it.
type lab struct {
	*testing.T
	root, keep, accuracy, audit string
}

func newLab(t *testing.T) lab {
	dir := t.TempDir()
	scenario := filepath.Join(dir, "tree", "closed", "Lab", "results", "box", "resnet50", "Offline")
	l := lab{t, filepath.Join(dir, "tree"), filepath.Join(dir, "originals"), filepath.Join(scenario, "accuracy"),
		filepath.Join(scenario, "TEST01", "accuracy")}
	l.write(filepath.Join(l.accuracy, "accuracy.txt"), []byte("accuracy=76.460%, good=38230, total=50000\n"))
	return l
}

func (l lab) write(path string, text []byte) {
	l.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		l.Fatal(err)
	}
}

func (l lab) read(path string) string {
	l.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		l.Fatal(err)
	}
	return string(text)
}

func (l lab) tree() ([]truncate.Outcome, error) {
	return truncate.TruncateTree(context.Background(), l.root, truncate.Options{StoreFolder: l.keep})
}

func (l lab) log(dir string) string   { return filepath.Join(dir, "mlperf_log_accuracy.json") }
func (l lab) score(dir string) string { return filepath.Join(dir, "accuracy.txt") }

// whole is a log of size bytes, no two of whose blocks are equal.
func whole(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		b.WriteString(hex.EncodeToString(sum[:]) + "\n")
	}
	return b.Bytes()[:size]
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func TestTreeTruncatesScenariosAndAudits(t *testing.T) {
	l := newLab(t)
	log := whole(100_000)
	for _, dir := range []string{l.accuracy, l.audit} {
		l.write(l.log(dir), log)
	}
	all, err := l.tree()
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	short := string(log[:truncate.KeptBytes]) + truncate.GapText + string(log[len(log)-truncate.KeptBytes:])
	for _, out := range all {
		if out.Action != truncate.Truncated || out.Hash != hashOf(log) || out.Size != int64(len(log)) {
			t.Errorf("%+v", out)
		}
		if l.read(out.Log) != short || l.read(out.Original) != string(log) {
			t.Errorf("%s is not head, gap and tail, or %s not the original", out.Log, out.Original)
		}
	}
	want := "accuracy=76.460%, good=38230, total=50000\n\nhash=" + hashOf(log) + "\n"
	if got := l.read(l.score(l.accuracy)); got != want {
		t.Errorf("accuracy.txt: %q, want %q", got, want)
	}
	if got := l.read(l.score(l.audit)); got != "hash="+hashOf(log)+"\n" {
		t.Errorf("the audit's accuracy.txt: %q", got)
	}
	l.wantSecondRunToChangeNothing(truncate.Done)
}

// wantSecondRunToChangeNothing runs again, and compares every file's text and time.
func (l lab) wantSecondRunToChangeNothing(want truncate.Action) {
	l.Helper()
	before := l.state()
	all, err := l.tree()
	for _, out := range all {
		if out.Action != want {
			l.Errorf("the second run: %+v, want %s", out, want)
		}
	}
	if err != nil || l.state() != before {
		l.Errorf("the second run: error %v; before\n%safter\n%s", err, before, l.state())
	}
}

func (l lab) state() string {
	l.Helper()
	var b strings.Builder
	err := filepath.Walk(filepath.Dir(l.root), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b.WriteString(path + " " + info.ModTime().String() + " " + hashOf([]byte(l.read(path))) + "\n")
		return nil
	})
	if err != nil {
		l.Fatal(err)
	}
	return b.String()
}

// A log below the limit is its own original: nothing grows to 8199 bytes.
func TestSmallLogsStayWhole(t *testing.T) {
	for _, size := range []int{0, 100, truncate.KeptBytes, 5000, truncate.MinTruncated - 1} {
		l := newLab(t)
		log := whole(size)
		l.write(l.log(l.accuracy), log)
		all, err := l.tree()
		if err != nil || all[0].Action != truncate.Hashed || all[0].Hash != hashOf(log) {
			t.Errorf("%d bytes: %+v, %v", size, all, err)
		}
		if l.read(l.log(l.accuracy)) != string(log) {
			t.Errorf("%d bytes: the log has changed", size)
		}
		l.wantSecondRunToChangeNothing(truncate.Done)
	}
}

// Who was stopped at any point runs it again.
func TestInterruptedRunsAreFinished(t *testing.T) {
	log := whole(50_000)
	stopped := map[string]func(l lab){
		"after the original was kept": func(l lab) { l.write(filepath.Join(l.keep, hashOf(log)+".json"), log) },
		"after the original got its second name": func(l lab) {
			l.write(filepath.Join(l.keep, "x"), nil)
			if err := os.Link(l.log(l.accuracy), filepath.Join(l.keep, hashOf(log)+".json")); err != nil {
				l.Skip(err)
			}
		},
		"while the original was copied": func(l lab) {
			l.write(filepath.Join(l.keep, "original."+strings.Repeat("A7", 13)+".tmp"), log[:100])
		},
		"after the hash was noted": func(l lab) {
			l.write(l.score(l.accuracy), []byte("accuracy=1%\n\nhash="+hashOf(log)+"\n"))
		},
	}
	for name, stop := range stopped {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.write(l.log(l.accuracy), log)
			stop(l)
			all, err := l.tree()
			if err != nil || len(all) != 1 || all[0].Action != truncate.Truncated {
				t.Fatalf("%+v, %v", all, err)
			}
			if n := strings.Count(l.read(l.score(l.accuracy)), "hash="); n != 1 {
				t.Errorf("%d hashes", n)
			}
			left, err := filepath.Glob(filepath.Join(l.keep, "*.tmp"))
			if len(left) != 0 || err != nil || l.read(all[0].Original) != string(log) {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestFaultsChangeNothing(t *testing.T) {
	log, other := whole(20_000), strings.Repeat("ab", 32)
	cut := string(log[:4096]) + truncate.GapText + string(log[4096:8192])
	cases := map[string]struct {
		log, score string
		want       string
	}{
		"no score":               {string(log), "", "is missing: score the whole log"},
		"no log":                 {"", "accuracy=1%\n", "no such file"},
		"hash of another":        {string(log), "x\nhash=" + other + "\n", "has the hash " + other},
		"hash of another, small": {"[\n]\n", "x\nhash=" + other + "\n", "has the hash " + other},
		"two hashes":             {string(log), "hash=aa\nhash=bb\n", "two hashes"},
		"cut without a hash":     {cut, "accuracy=1%\n", "has no hash"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			for path, text := range map[string]string{l.log(l.accuracy): c.log, l.score(l.accuracy): c.score} {
				if l.write(path, []byte(text)); text == "" {
					os.Remove(path)
				}
			}
			l.write(l.log(l.audit), log)
			all, err := l.tree()
			if err == nil || !strings.Contains(err.Error(), c.want) || len(all) != 1 {
				t.Errorf("%+v, %v; want the audit's done and an error with %q", all, err, c.want)
			}
			if c.log != "" && l.read(l.log(l.accuracy)) != c.log || c.score != "" && l.read(l.score(l.accuracy)) != c.score {
				t.Error("a file was changed")
			}
		})
	}
}

// TestConvertedLogsAreLeftAlone: git's autocrlf made other line ends after a log was cut, or hashed.
func TestConvertedLogsAreLeftAlone(t *testing.T) {
	log, small := whole(20_000), "[\n]\n"
	sum := func(text []byte) string { return fmt.Sprintf("x\nhash=%x\n", sha256.Sum256(text)) }
	for name, c := range map[string]struct {
		log, score string
		want       truncate.Action
	}{
		"cut":   {string(log[:4096]) + truncate.GapText + string(log[len(log)-4096:]), sum(log), truncate.Done},
		"whole": {small, sum([]byte(small)), truncate.Done},
	} {
		l := newLab(t)
		converted := strings.ReplaceAll(c.log, "\n", "\r\n")
		l.write(l.log(l.accuracy), []byte(converted))
		l.write(l.score(l.accuracy), []byte(strings.ReplaceAll(c.score, "\n", "\r\n")))
		l.write(l.log(l.audit), log)
		all, err := l.tree()
		if err != nil || len(all) != 2 || !slices.ContainsFunc(all, func(o truncate.Outcome) bool {
			return o.Log == l.log(l.accuracy) && o.Action == c.want
		}) || l.read(l.log(l.accuracy)) != converted {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
}

func TestOriginalsAreChecked(t *testing.T) {
	l := newLab(t)
	log := whole(30_000)
	l.write(l.log(l.accuracy), log)
	if _, err := l.tree(); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(l.keep, hashOf(log)+".json")
	if err := os.Rename(kept, kept+".away"); err != nil {
		t.Fatal(err)
	}
	if all, err := l.tree(); err != nil || all[0].Action != truncate.OriginalMissing {
		t.Errorf("without the original: %+v, %v", all, err)
	}
	l.write(kept, append([]byte("x"), log...))
	if _, err := l.tree(); err == nil || !strings.Contains(err.Error(), "is not what is left of") {
		t.Errorf("another original: %v", err)
	}
	s, err := truncate.OpenStore(context.Background(), l.keep)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Check(context.Background(), hashOf(log)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("the check of another original: %v", err)
	}
}

func TestStoreOutsideTheTree(t *testing.T) {
	l := newLab(t)
	l.write(l.log(l.accuracy), whole(20_000))
	l.keep = filepath.Join(l.root, "closed", "originals")
	if _, err := l.tree(); err == nil || !strings.Contains(err.Error(), "is in the tree") {
		t.Errorf("a store in the tree: %v", err)
	}
	if _, err := os.Stat(l.keep); err == nil {
		t.Error("it was made")
	}
}

// A file that has another name may be written to under it: the original is a copy then.
func TestLinkedLogsAreCopied(t *testing.T) {
	l := newLab(t)
	log := whole(20_000)
	run := filepath.Join(filepath.Dir(l.root), "run.json")
	l.write(run, log)
	if err := os.Link(run, l.log(l.accuracy)); err != nil {
		t.Skip(err)
	}
	all, err := l.tree()
	if err != nil {
		t.Fatal(err)
	}
	l.write(run, []byte("the next run"))
	if l.read(all[0].Original) != string(log) {
		t.Error("the original changed with the file that it was made from")
	}
}

func TestSymbolicLinksAreRefused(t *testing.T) {
	l := newLab(t)
	run := filepath.Join(filepath.Dir(l.root), "run.json")
	l.write(run, whole(20_000))
	if err := os.Symlink(run, l.log(l.accuracy)); err != nil {
		t.Skip(err)
	}
	outside := filepath.Join(filepath.Dir(l.root), "outside")
	l.write(l.log(filepath.Join(outside, "Server", "accuracy")), whole(20_000))
	link := filepath.Join(l.root, "closed", "Lab", "results", "box", "bert-99")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	_, err := l.tree()
	if err == nil || !strings.Contains(err.Error(), "no file of its own") || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("%v", err)
	}
	if len(l.read(run)) != 20_000 {
		t.Error("the file behind the link was cut")
	}
}

func TestTreeEndsWithItsContext(t *testing.T) {
	l := newLab(t)
	log := whole(3 << 20)
	l.write(l.log(l.accuracy), log)
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	s, err := truncate.OpenStore(context.Background(), l.keep)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.TruncateLog(ctx, l.accuracy); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	if l.read(l.log(l.accuracy)) != string(log) || strings.Contains(l.read(l.score(l.accuracy)), "hash=") {
		t.Error("something was changed")
	}
}

func TestTreeSaysWhatItIsNot(t *testing.T) {
	l := newLab(t)
	_, err := truncate.TruncateTree(context.Background(), l.root, truncate.Options{StoreFolder: l.keep, Submitter: "Lap"})
	if err == nil || !strings.Contains(err.Error(), "Lab") {
		t.Errorf("an unknown submitter: %v", err)
	}
	l.root = t.TempDir()
	if _, err := l.tree(); err == nil || !strings.Contains(err.Error(), "no submission") {
		t.Errorf("an empty folder: %v", err)
	}
	l.write(filepath.Join(l.root, "open", "Lab", "x"), nil)
	if _, err := l.tree(); err == nil || !strings.Contains(err.Error(), "no accuracy folder") {
		t.Errorf("no results: %v", err)
	}
}
