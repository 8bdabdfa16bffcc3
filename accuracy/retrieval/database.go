package retrieval

import (
	"fmt"
	"strings"
)

// MinPages is the minimum share of pages that a database must contain.
const MinPages = 0.99

// PageLog contains the accuracy log of a database. If a page has several entries, the last one counts.
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
	MD5         string // the MD5 that the run returned, from the last page with one; "": none
}

// ReadBuild evaluates the payloads. The byte 1 means that the database contains the page. 32 lower-case hexadecimal
// digits are the database's MD5 and also mean that it contains the page. Any other payload means that the page failed.
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

// Rate returns the share of pages that the database contains.
func (b DatabaseBuild) Rate() float64 {
	if b.Pages == 0 {
		return 0
	}
	return float64(b.Good) / float64(b.Pages)
}

// Passed reports whether the database contains enough pages and md5 equals the MD5 that the run returned.
func (b DatabaseBuild) Passed(md5 string) bool {
	return b.Rate() >= MinPages && b.MD5 != "" && b.MD5 == md5
}

// Report returns the report of the reference's scorer. md5 is the MD5 of the current database.
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
