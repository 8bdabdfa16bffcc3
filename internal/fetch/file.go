package fetch

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// stateDir is the folder for partial downloads, locks and receipts inside the cache.
const stateDir = ".state"

// File describes a file or an archive for the cache.
type File struct {
	Name   string // path in the cache, with slashes: "resnet50/resnet50_v1.onnx"; a folder's path if Unpack is true
	URL    string // http or https
	SHA256 string // of the download, lower-case hex; empty: unknown, and the file counts as unverified
	Size   int64  // of the download in bytes; 0: unknown
	Unpack bool   // unpack the download, a tar, tar.gz or zip archive
}

// checkEntry reports all faults of the entry.
func (f File) checkEntry() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if name := filepath.FromSlash(f.Name); !filepath.IsLocal(name) || filepath.Clean(name) != name || name == "." {
		fault("name %q, want a plain relative path", f.Name)
	}
	if first, _, _ := strings.Cut(f.Name, "/"); first == stateDir {
		fault("name %q, want one outside %s", f.Name, stateDir)
	}
	if err := checkURL(f.URL); err != nil {
		fault("url %q: %w", f.URL, err)
	}
	if sum, err := hex.DecodeString(f.SHA256); f.SHA256 != "" &&
		(err != nil || len(sum) != 32 || strings.ToLower(f.SHA256) != f.SHA256) {
		fault("sha256 %q, want 64 lower-case hex digits or nothing", f.SHA256)
	}
	if f.Size < 0 {
		fault("size %d, want 0 (unknown) or more bytes", f.Size)
	}
	if len(faults) > 0 {
		return fmt.Errorf("%w: %w", ErrBadFile, errors.Join(faults...))
	}
	return nil
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("want http:// or https:// and a host")
	}
	return nil
}

// cachePaths contains the paths of one file in a cache.
type cachePaths struct {
	final    string // the file, or the folder of the unpacked archive
	part     string // the bytes downloaded so far
	version  string // the version (fileVersion) of part
	receipt  string // the receipt (cacheReceipt) of final
	lock     string
	staging  string // the contents of the archive during unpacking
	replaced string // the previous final during its replacement
}

func (c *Cache) cachePaths(f File) cachePaths {
	name := filepath.FromSlash(f.Name)
	state := filepath.Join(c.dir, stateDir, name)
	return cachePaths{
		final: filepath.Join(c.dir, name),
		part:  state + ".part", version: state + ".resume", receipt: state + ".receipt", lock: state + ".lock",
		staging: state + ".unpacking", replaced: state + ".old",
	}
}
