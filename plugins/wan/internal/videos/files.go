package videos

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// MaxVideoSize limits a video, in bytes: one of five seconds has some megabytes, and 224 MB without any compression.
const MaxVideoSize = 256 << 20

// CheckHead is an error unless a video's file begins as one in a container that VBench's reader takes: MP4 and its kin
// (ISO base media and QuickTime), AVI, GIF, Matroska and WebM. What it has is not in the error: it may be no video, and
// private.
func CheckHead(head []byte) error {
	if len(head) < 12 {
		return fmt.Errorf("%d bytes are no video", len(head))
	}
	switch string(head[4:8]) {
	case "ftyp", "moov", "mdat", "wide", "free", "skip", "pnot":
		return nil
	}
	begins := func(magic string) bool { return strings.HasPrefix(string(head), magic) }
	if begins("GIF87a") || begins("GIF89a") || begins("\x1aE\xdf\xa3") || begins("RIFF") && string(head[8:12]) == "AVI " {
		return nil
	}
	return errors.New("it does not begin as a video does: want MP4, QuickTime, AVI, GIF, Matroska or WebM")
}

// errNoFolder ends a run: no answer of such a server has a video.
var errNoFolder = errors.New("the server names a file of this machine, and no folder is given for that: " +
	"give --backend-opt folder=FOLDER, below which its videos lie, or --param response=bytes, to have them sent")

// answerFiles are the files that answers may name.
type answerFiles interface {
	// open opens a file for reading, and returns its absolute path.
	open(name string) (*os.File, string, error)
	io.Closer
}

// anyFiles are those of a process that the user has chosen to run, which could read them all by itself.
type anyFiles struct{}

func (anyFiles) open(name string) (*os.File, string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, "", err
	}
	f, err := bounded.OpenUpTo(path, MaxVideoSize)
	return f, path, err
}

func (anyFiles) Close() error { return nil }

// noFiles are those of a server of which no folder is named.
type noFiles struct{}

func (noFiles) open(string) (*os.File, string, error) { return nil, "", errNoFolder }

func (noFiles) Close() error { return nil }

// folderFiles are the files of a folder and of those in it, wherever links in it lead.
type folderFiles struct {
	*os.Root
	path, real string // absolute, the second one without links
}

func openFolderFiles(folder string) (*folderFiles, error) {
	path, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	root, err := bounded.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &folderFiles{root, path, real}, nil
}

// relativeName returns a file's name in the folder, of a path that is absolute or in the folder.
func (b *folderFiles) relativeName(name string) (string, error) {
	if strings.Contains(name, "://") {
		return "", fmt.Errorf("%.200q is an address, want the path of a file below %s", name, b.path)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(b.path, name)
	}
	for _, base := range []string{b.path, b.real} {
		if relative, err := filepath.Rel(base, name); err == nil && filepath.IsLocal(relative) {
			return relative, nil
		}
	}
	if real, err := filepath.EvalSymlinks(name); err == nil { // by a link to the folder, or to one above it
		if relative, err := filepath.Rel(b.real, real); err == nil && filepath.IsLocal(relative) {
			return relative, nil
		}
	}
	return "", fmt.Errorf("%.200q is not below %s (option folder)", name, b.path)
}

func (b *folderFiles) open(name string) (*os.File, string, error) {
	relative, err := b.relativeName(name)
	if err != nil {
		return nil, "", err
	}
	f, err := b.OpenFile(relative, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer waits for none
	if err != nil {
		return nil, "", fmt.Errorf("below %s: %w", b.path, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is no regular file: %w", filepath.Join(b.path, relative), fs.ErrInvalid)
	case info.Size() > MaxVideoSize:
		err = fmt.Errorf("%s has %d bytes, want %d at most", filepath.Join(b.path, relative), info.Size(), MaxVideoSize)
	}
	if err != nil {
		return nil, "", errors.Join(err, f.Close())
	}
	return f, filepath.Join(b.path, relative), nil
}

// readNamed checks a file that an answer names, and reads it where whole says so: path is where it lies.
func readNamed(from answerFiles, name string, whole bool) (video []byte, path string, err error) {
	f, path, err := from.open(name)
	if errors.Is(err, errNoFolder) {
		return nil, "", err
	}
	if err != nil {
		return nil, "", videoFailure{fmt.Errorf("the answer's file: %w; a server on another machine sends the video itself "+
			"with "+
			"--param response=bytes", err)}
	}
	defer func() { _ = f.Close() }() // opened for reading
	const head = 64
	most := int64(head)
	if whole {
		most = MaxVideoSize + 1 // it may grow while it is read
	}
	video, err = io.ReadAll(io.LimitReader(f, most))
	switch {
	case err != nil:
	case len(video) == 0:
		err = fmt.Errorf("%s is empty", path)
	case len(video) > MaxVideoSize:
		err = fmt.Errorf("%s has more than %d bytes", path, MaxVideoSize)
	default:
		if err = CheckHead(video); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	if err != nil {
		return nil, "", videoFailure{fmt.Errorf("the answer's file: %w", err)}
	}
	return video, path, nil
}
