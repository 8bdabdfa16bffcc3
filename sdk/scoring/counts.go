package scoring

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
)

// Counts contains the package's counts of a log's entries.
type Counts struct {
	All     int // number of samples of the data set; 0: not known
	Entries int // entries of the data set's samples, or all entries if Log.Within is not set
	Samples int // number of distinct samples with an entry
	Outside int // entries outside Log.Within, which the metric ignores
	Damaged int // entries whose answer could not be read (ErrDamaged)
	// Damage describes the first such fault and its sample; empty: none.
	Damage string
}

// Missing returns the number of the data set's samples without an entry, or 0 if the size of the data set is unknown.
func (c Counts) Missing() int { return max(0, c.All-c.Samples) }

// Repeated returns the number of entries whose sample has an earlier entry.
func (c Counts) Repeated() int { return c.Entries - c.Samples }

// Notes returns the common notes of scorers that use the first entry of a sample: the number of dropped entries, of
// samples without an entry, and of unreadable answers. samples is the noun for samples, and score states the effect of
// missing samples on the score ("the accuracy is that" of the others).
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
