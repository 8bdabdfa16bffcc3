package retrieval

import (
	"fmt"
	"strings"
)

// MinPages is the minimum share of pages that must be in the database.
const MinPages = 0.99

// PageLog contains the accuracy log of a database. The last entry of each page counts.
type PageLog struct{ latest map[uint64][]byte }

// Add adds the entry of a page. It copies the payload.
func (p *PageLog) Add(page uint64, payload []byte) {
	if p.latest == nil {
		p.latest = map[uint64][]byte{}
	}
	p.latest[page] = append([]byte(nil), payload...)
}

// DatabaseBuild describes how a database was built.
type DatabaseBuild struct {
	Pages, Good int
	MD5         string // that the run returned, of the last page that has one; empty: none
}

// ReadBuild reads the payloads: the byte 1 is a page that is in the database, 32 hexadecimal digits in lower case are
// the MD5 of the database, and its page is in it; any other is a page that failed.
func (p *PageLog) ReadBuild() (b DatabaseBuild) {
	last := uint64(0)
	for page, payload := range p.latest {
		b.Pages++
		switch {
		case len(payload) == 1:
			if payload[0] == 1 {
				b.Good++
			}
		case isMD5(payload):
			b.Good++
			if b.MD5 == "" || page > last {
				b.MD5, last = string(payload), page
			}
		}
	}
	return b
}

func isMD5(payload []byte) bool {
	return len(payload) == 32 && strings.Trim(string(payload), "0123456789abcdef") == ""
}

// Rate is the share of pages that are in the database.
func (b DatabaseBuild) Rate() float64 {
	if b.Pages == 0 {
		return 0
	}
	return float64(b.Good) / float64(b.Pages)
}

// Passed tells whether enough pages are in the database, and its MD5 is the one that the run returned. Without the one
// or the other it did not pass.
func (b DatabaseBuild) Passed(md5 string) bool {
	return b.Rate() >= MinPages && b.MD5 != "" && b.MD5 == md5
}

// Report is the report of the reference's scorer; md5 is that of the database as it is found.
func (b DatabaseBuild) Report(md5 string) string {
	verdict := func(ok bool) string {
		if ok {
			return "PASS"
		}
		return "FAIL"
	}
	double, single := strings.Repeat("=", 80), strings.Repeat("-", 80)
	lines := []string{
		double, "RAG-DB Accuracy Report", double, "", "File Processing Results:", single,
		fmt.Sprintf("Total files: %d", b.Pages), fmt.Sprintf("Successful: %d", b.Good),
		fmt.Sprintf("Failed: %d", b.Pages-b.Good), fmt.Sprintf("Success rate: %.2f%%", 100*b.Rate()),
		fmt.Sprintf("Required rate: %.2f%%", 100*MinPages), "Status: " + verdict(b.Rate() >= MinPages), "",
		"MD5 Verification:", single, "MD5 returned by SUT: " + b.MD5, "MD5 actual (computed): " + md5,
		"MD5 match: " + verdict(b.MD5 == md5), "", double, "Overall Result: " + verdict(b.Passed(md5)), double,
	}
	return strings.Join(lines, "\n") + "\n"
}
