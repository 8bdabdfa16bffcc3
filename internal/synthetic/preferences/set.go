package preferences

import (
	"github.com/plumbline-ml/plumbline/internal/draw"
	"github.com/plumbline-ml/plumbline/internal/lists"
)

// The shape of every set.
const (
	TrainPeriods = 8  // periods a model is trained on
	Periods      = 10 // with those of inference
	Categories   = 8
	Items        = 1024 // as many of each category
	Candidates   = 24   // of a block
	Cohorts      = 64   // of users: the number's remainder says which
	HistoryMost  = baseHistory + (Periods-1)*periodHistory
)

// How many of a block's candidates the user takes into the history.
const (
	baseHistory   = 8
	periodHistory = 6
)

// active is how many users of 100 have a request in a period.
const active = 70

// Blocks of a user: the base, the training periods, an evaluation block that inference must not read, the periods of
// inference.
const (
	baseBlock       = 0
	evaluationBlock = TrainPeriods + 1
	blocks          = Periods + 2
)

// seed is that of all users and items.
const seed = 0x70726566_00000001

// What is drawn, as a part of the keys.
const (
	ofItems = iota
	ofUsers
	ofCohorts
	ofBlocks
	ofIDs
)

// Set is a stream of the first users. It may be used from many goroutines.
type Set struct {
	users int
	ids   int // ids of items are of [0, ids)
	items []int
	names []int
}

// Users of the sets.
const (
	TrainUsers = 32768
	EvalUsers  = 160
	wideUsers  = 12
)

// WideIDs are as many as the official data's: most are not exact in float32.
const WideIDs = 1_000_000_000

// Train is the set that the embedded model is trained on: its training periods.
func Train() *Set { return newSet(TrainUsers, Items) }

// Eval is the set whose periods of inference are the embedded data: users of Train in periods that no training saw.
func Eval() *Set { return newSet(EvalUsers, Items) }

// Wide is a small set whose ids are spread over those of the official data.
func Wide() *Set { return newSet(wideUsers, WideIDs) }

func newSet(users, ids int) *Set {
	s := &Set{users: users, ids: ids}
	s.items = lists.Make(Items, func(i int) int {
		return draw.NewRandom(seed, ofItems, uint64(i)).Between(-quality, quality)
	})
	s.names = lists.Make(Items, s.id)
	return s
}

// Len is the number of users.
func (s *Set) Len() int { return s.users }

// IDs is the number that ids are below. The category of an id is id / (IDs / Categories).
func (s *Set) IDs() int { return s.ids }

// id spreads the items of a category over the ids of the category. The last item has the last id.
func (s *Set) id(item int) int {
	if item == Items-1 {
		return s.ids - 1
	}
	const perCategory = Items / Categories
	ids := s.ids / Categories
	step := ids / perCategory
	return item/perCategory*ids + item%perCategory*step + draw.NewRandom(seed, ofIDs, uint64(item)).Below(step)
}
