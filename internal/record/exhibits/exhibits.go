// Package exhibits saves samples of an accuracy run for inspection, in a folder next to the log with an index and one
// file per picture.
package exhibits

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Names of the folder and of the index in it.
const (
	Folder    = "exhibits"
	IndexName = "index.json"
)

// maxIndexBytes limits the bytes of an index, which contains the escaped texts of all exhibits.
const maxIndexBytes = 8 << 20

// maxCaptionBytes limits the bytes of a caption.
const maxCaptionBytes = 500

// Index is the contents of the index file.
type Index struct {
	LogSHA256 string      `json:"log_sha256"` // checksum of the accuracy log, in lower-case hex
	Exhibits  []IndexItem `json:"exhibits"`   // ordered, the worst first
}

// IndexItem describes an exhibit: a text, a picture, or both.
type IndexItem struct {
	Caption string `json:"caption"`
	Text    string `json:"text,omitempty"`
	File    string `json:"file,omitempty"` // name of a PNG in the folder
}

// Write replaces the exhibits next to a log by those of the log's score. It omits unsuitable exhibits and reports them
// in the notes.
func Write(dir, logSHA256 string, all []sdk.Exhibit) (notes []string, err error) {
	folder := filepath.Join(dir, Folder)
	if err := os.RemoveAll(folder); err != nil || len(all) == 0 {
		return nil, err
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, err
	}
	if n := len(all) - sdk.MaxExhibits; n > 0 {
		notes = append(notes, fmt.Sprintf("%d exhibits beyond %d are left out", n, sdk.MaxExhibits))
		all = all[:sdk.MaxExhibits]
	}
	index := Index{LogSHA256: logSHA256, Exhibits: []IndexItem{}}
	for i, e := range all {
		if err := e.Check(); err != nil {
			notes = append(notes, fmt.Sprintf("exhibit %d is left out: %v", i+1, err))
			continue
		}
		item := IndexItem{Caption: caption(e.Caption), Text: strings.ToValidUTF8(e.Text, "\uFFFD")}
		if len(e.PNG) > 0 {
			item.File = fmt.Sprintf("%02d.png", i+1)
			if err := wholefile.Write(filepath.Join(folder, item.File), e.PNG, 0o644); err != nil {
				return notes, err
			}
		}
		index.Exhibits = append(index.Exhibits, item)
	}
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return notes, err
	}
	return notes, wholefile.Write(filepath.Join(folder, IndexName), append(text, '\n'), 0o644)
}

// caption shortens a text to one line of limited length.
func caption(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	for len(text) > maxCaptionBytes {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	}
	return text
}

// Read reads the exhibits next to the log with that checksum. It returns none if there are none or they belong to
// another log.
func Read(dir, logSHA256 string) ([]sdk.Exhibit, error) {
	folder := filepath.Join(dir, Folder)
	text, err := read(filepath.Join(folder, IndexName), maxIndexBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var index Index
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, IndexName), err)
	}
	if index.LogSHA256 != logSHA256 {
		return nil, nil
	}
	var all []sdk.Exhibit
	for _, item := range index.Exhibits[:min(len(index.Exhibits), sdk.MaxExhibits)] {
		e := sdk.Exhibit{Caption: caption(item.Caption), Text: item.Text}
		if item.File != "" {
			if e.PNG, err = read(filepath.Join(folder, filepath.Base(item.File)), sdk.MaxExhibitBytes); err != nil {
				return all, err
			}
		}
		if err := e.Check(); err != nil {
			return all, fmt.Errorf("%s: %w", folder, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// read reads a file of up to most bytes.
func read(path string, maxBytes int64) ([]byte, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && int64(len(text)) > maxBytes {
		err = fmt.Errorf("%s is longer than %d bytes", path, maxBytes)
	}
	return text, err
}
