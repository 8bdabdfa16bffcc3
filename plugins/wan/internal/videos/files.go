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

// MaxVideoSize limits the size of a video in bytes. A video of five seconds has some megabytes, or 224 MB without
// compression.
const MaxVideoSize = 256 << 20

// CheckHead returns an error unless a file begins like a container that VBench's reader supports: ISO base media such
// as MP4, QuickTime, AVI, GIF, Matroska or WebM. The error does not quote the content, because the file may be private.
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

// errNoFolder ends a run, because the server's answers never contain videos.
var errNoFolder = errors.New("the server names a file of this machine, and no folder is given for that: " +
	"give --backend-opt folder=FOLDER, below which its videos lie, or --param response=bytes, to have them sent")

// answerFiles contains the files that answers may name.
type answerFiles interface {
	// open opens a file for reading and returns it with its absolute path.
	open(name string) (*os.File, string, error)
	io.Closer
}

// anyFiles allows all files. It is used for processes that the user starts, which could read any file themselves.
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

// noFiles allows no files. It is used for servers without a folder.
type noFiles struct{}

func (noFiles) open(string) (*os.File, string, error) { return nil, "", errNoFolder }

func (noFiles) Close() error { return nil }

// folderFiles allows the files in a folder and its subfolders. Links must not lead out of the folder.
type folderFiles struct {
	*os.Root
	path, realPath string // absolute paths; real has no links
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

// relativeName returns the name of a file relative to the folder. name may be absolute.
func (b *folderFiles) relativeName(name string) (string, error) {
	if strings.Contains(name, "://") {
		return "", fmt.Errorf("%.200q is an address, want the path of a file below %s", name, b.path)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(b.path, name)
	}
	for _, base := range []string{b.path, b.realPath} {
		if relative, err := filepath.Rel(base, name); err == nil && filepath.IsLocal(relative) {
			return relative, nil
		}
	}
	// name leads through a link to the folder or to a parent of it
	if real, err := filepath.EvalSymlinks(name); err == nil {
		if relative, err := filepath.Rel(b.realPath, real); err == nil && filepath.IsLocal(relative) {
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
	f, err := b.OpenFile(relative, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe without a writer does not block
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

// readNamedFile checks a file that an answer names and returns its path. If whole is set, it also returns the content.
func readNamedFile(from answerFiles, name string, whole bool) (video []byte, path string, err error) {
	f, path, err := from.open(name)
	if errors.Is(err, errNoFolder) {
		return nil, "", err
	}
	if err != nil {
		return nil, "", videoFailure{fmt.Errorf("the answer's file: %w; a server on another machine sends the video itself "+
			"with "+
			"--param response=bytes", err)}
	}
	defer func() { _ = f.Close() }() // only read
	const head = 64
	most := int64(head)
	if whole {
		most = MaxVideoSize + 1 // it may grow during reading
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
