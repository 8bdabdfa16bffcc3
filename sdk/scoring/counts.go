package scoring

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
)

// Counts are the package's counts of a log's entries.
type Counts struct {
	All     int // samples of the data set; 0: not known
	Entries int // entries of the data set's samples, or all entries if Log.Within is not set
	Samples int // different ones that have an entry
	Outside int // entries that Log.Within kept from the metric
	Damaged int // entries whose answer could not be read (ErrDamaged)
	// Damage is what was wrong with the first of these, with its sample; empty: none.
	Damage string
}

// Missing returns the number of the data set's samples without an entry; 0 if the size of the data set is unknown.
func (c Counts) Missing() int { return max(0, c.All-c.Samples) }

// Repeated returns the number of entries whose sample has an earlier entry.
func (c Counts) Repeated() int { return c.Entries - c.Samples }

// Notes are those of every scorer by which the first entry of a sample counts: entries that were dropped, samples, by
// the name of what they are, that have none, with what that means for the score ("the accuracy is that" of the others),
// and answers that could not be read.
func (c Counts) Notes(samples, score string) (n sdk.Notes) {
	n.AddDropped(c.Repeated())
	n.AddMissing(c.Missing(), c.All, samples, score)
	n.AddCount(c.Damaged, "%d answers cannot be read and count as wrong; the first: %s", c.Damage)
	return n
}

func (c *Counts) noteDamage(sample uint64, err error) {
	if c.Damaged++; c.Damaged == 1 {
		c.Damage = fmt.Sprintf("sample %d: %v", sample, err)
	}
}
