package reasoning

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// story is a word problem: (a first b) second c.
type story struct {
	first, second byte
	text          string
}

// stories returns the word problems. A factor has one digit; all other numbers have three.
func stories() []story {
	return []story{
		{'+', '-', "In a shop there are {a} {things}. In the morning {b} more arrive, and by night {c} are sold. " +
			"How many {things} are left?"},
		{'+', '-', "At first {who} has {a} {things} and finds {b} more. Then {c} of them break. " +
			"How many {things} does {who} have now?"},
		{'+', '*', "Each box holds {a} red and {b} blue {things}. How many {things} are in {c} boxes?"},
		{'+', '*', "On each of {c} days {who} makes {a} {things} in the morning and {b} at night. " +
			"How many {things} is that?"},
		{'*', '+', "There are {b} bags with {a} {things} each, and {c} more on the table. How many {things} are there?"},
		{'*', '+', "For {b} weeks {who} saves {a} {things} a week, and then gets {c} from a friend. " +
			"How many {things} is that?"},
		{'*', '-', "At the market {who} buys {b} boxes of {a} {things} and gives {c} away. How many {things} remain?"},
		{'*', '-', "A train has {b} cars with {a} seats each, and {c} seats are taken. How many seats are free?"},
		{'-', '*', "Of {a} {things} in each box {b} are broken. How many good {things} are in {c} boxes?"},
		{'-', '+', "The club of {who} owns {a} {things}. It lends {b} and buys {c} new ones. " +
			"How many {things} are there now?"},
		{'-', '-', "On a bus there are {a} people. In the first town {b} get off, in the second {c}. How many people stay?"},
		{'+', '+', "In three rooms there are {a}, {b} and {c} {things}. How many {things} are there in all?"},
	}
}

// writeContest writes a word problem whose answer has three digits, as in the contest.
func writeContest(r *draw.Random) Row {
	s := drawOne(stories(), r)
	for {
		a, b, c := r.IntBetween(100, 999), r.IntBetween(100, 999), r.IntBetween(100, 999)
		if s.first == '*' {
			b = r.IntBetween(2, 5)
		}
		if s.second == '*' {
			c = r.IntBetween(2, 5)
		}
		middle := applyOperator(s.first, a, b)
		end := applyOperator(s.second, middle, c)
		if middle < 0 || middle > 999 || end < 0 || end > 999 {
			continue
		}
		text := strings.NewReplacer("{a}", strconv.Itoa(a), "{b}", strconv.Itoa(b), "{c}", strconv.Itoa(c),
			"{who}", drawOne(names(), r), "{things}", drawOne(things(), r)).Replace(s.text)
		first, _ := computeByHand(s.first, a, b)
		second, _ := computeByHand(s.second, middle, c)
		return Row{Question: text, Thought: first + "\n" + second,
			Answer: fmt.Sprintf(`The answer is \boxed{%03d}.`, end), Truth: strconv.Itoa(end)}
	}
}

func applyOperator(op byte, a, b int) int {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	default:
		return a * b
	}
}
