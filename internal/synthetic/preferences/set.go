package preferences

import (
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// The shape of every set.
const (
	TrainPeriods = 8  // periods for training
	Periods      = 10 // including the periods of inference
	Categories   = 8
	Items        = 1024 // the same number in each category
	Candidates   = 24   // candidates of a block
	Cohorts      = 64   // cohorts of users, by the remainder of the user's number
	MaxHistory   = baseHistory + (Periods-1)*periodHistory
)

// Numbers of a block's candidates that enter the history.
const (
	baseHistory   = 8
	periodHistory = 6
)

// activePercent is the percentage of users with a request in a period.
const activePercent = 70

// Blocks of a user: the base block, the training periods, an evaluation block that inference must not read, and the
// periods of inference.
const (
	baseBlock       = 0
	evaluationBlock = TrainPeriods + 1
	blocks          = Periods + 2
)

// seed is the seed of all users and items.
const seed = 0x70726566_00000001

// Kinds of drawn values, as parts of the random generators' keys.
const (
	drawItems = iota
	drawUsers
	drawCohorts
	drawBlocks
	drawIDs
)

// Set is a stream of the first users. It is safe for concurrent use.
type Set struct {
	users int
	ids   int // ids of items are in [0, ids)
	items []int
	names []int
}

// Users of the sets.
const (
	TrainUsers = 32768
	EvalUsers  = 160
	wideUsers  = 12
)

// WideIDs is the number of ids of the official data. Most of them are not exact in float32.
const WideIDs = 1_000_000_000

// Train returns the set for training the embedded model; its training periods are used.
func Train() *Set { return newSet(TrainUsers, Items) }

// Eval returns the set whose periods of inference are the embedded data: users of Train in periods that were not used
// for training.
func Eval() *Set { return newSet(EvalUsers, Items) }

// Wide returns a small set whose ids have the range of the official data.
func Wide() *Set { return newSet(wideUsers, WideIDs) }

func newSet(users, ids int) *Set {
	s := &Set{users: users, ids: ids}
	s.items = make([]int, Items)
	for i := range s.items {
		s.items[i] = draw.NewRandom(seed, drawItems, uint64(i)).IntBetween(-quality, quality)
	}
	s.names = make([]int, Items)
	for i := range s.names {
		s.names[i] = s.id(i)
	}
	return s
}

// Len returns the number of users.
func (s *Set) Len() int { return s.users }

// IDs returns the upper limit of ids. The category of an id is id / (IDs / Categories).
func (s *Set) IDs() int { return s.ids }

// id distributes the items of a category over the ids of the category. The last item has the last id.
func (s *Set) id(item int) int {
	if item == Items-1 {
		return s.ids - 1
	}
	const perCategory = Items / Categories
	ids := s.ids / Categories
	step := ids / perCategory
	return item/perCategory*ids + item%perCategory*step + draw.NewRandom(seed, drawIDs, uint64(item)).IntBelow(step)
}
