package coco2014

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/bounded"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// CaptionsFile is the path of the captions, relative to the data set's folder.
const CaptionsFile = "captions/captions.tsv"

// CaptionRow is a sample: a row of captions.tsv.
type CaptionRow struct {
	ID   int64 // ID of the caption in COCO's annotations; 0 if the file has no such column
	Text string
}

// maxCaptionBytes limits the size of captions.tsv; the official file has 800 KB.
const maxCaptionBytes = 1 << 30

// ReadCaptions reads captions.tsv as pandas writes it, with a header row and tabs between fields. Fields that contain a
// quotation mark or a tab are quoted, and quotation marks inside them are doubled. The column "caption" is required.
// The error lists all faults and wraps ErrDataset.
func ReadCaptions(path string) ([]CaptionRow, error) {
	data, err := bounded.ReadFile(path, maxCaptionBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	var faults fault.FaultList
	captions := parseCaptions(data, &faults)
	return captions, faults.Err(ErrDataset, path)
}

// parseCaptions returns the valid rows and adds invalid ones to faults.
func parseCaptions(data []byte, faults *fault.FaultList) (captions []CaptionRow) {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma = '\t'
	r.ReuseRecord = true
	names, err := r.Read()
	if err != nil {
		faults.Addf("", "it has no row of names: %v", err)
		return nil
	}
	text, id := slices.Index(names, "caption"), slices.Index(names, "id")
	if text < 0 {
		faults.Addf("", "the columns %.200q, want one of the name caption, and tabs between them", names)
		return nil
	}
	for {
		row, err := r.Read()
		line := 0
		if len(row) > 0 {
			line, _ = r.FieldPos(0)
		}
		switch {
		case errors.Is(err, io.EOF):
			if len(captions) == 0 && faults.Len() == 0 {
				faults.Addf("", "it has no captions")
			}
			return captions
		case errors.Is(err, csv.ErrFieldCount):
			faults.Addf(fmt.Sprintf("line %d", line), "%d fields, want %d: a tab in a caption needs quotation marks around it",
				len(row), len(names))
		case err != nil: // the rows after this error cannot be separated
			faults.Addf("", "%v: a quotation mark within a caption is doubled, and the caption is in quotation marks", err)
			return captions
		default:
			captions = append(captions, parseCaption(row, text, id, line, faults))
		}
	}
}

func parseCaption(row []string, text, id, line int, faults *fault.FaultList) CaptionRow {
	c := CaptionRow{Text: strings.Clone(row[text])}
	where := fmt.Sprintf("line %d", line)
	switch {
	case strings.TrimSpace(c.Text) == "":
		faults.Addf(where, "an empty caption")
	case !utf8.ValidString(c.Text):
		faults.Addf(where, "%.80q is not UTF-8", c.Text)
	}
	if id >= 0 {
		n, err := strconv.ParseInt(row[id], 10, 64)
		if err != nil {
			faults.Addf(where, "id %.40q, want a number", row[id])
		}
		c.ID = n
	}
	return c
}
