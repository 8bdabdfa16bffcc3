package questions

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/datasets/squad"
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// fact is a relation of a subject, and its position in the passage.
type fact struct {
	relation relation
	values   [3]string // values of $s, $a and $b
	places   [3]int    // positions of these values in the passage, in characters
}

// slot returns the index of a part of a fact in its arrays.
func slot(name byte) int { return strings.IndexByte("sab", name|0x20) }

// writer writes one passage.
type writer struct {
	random *draw.Random
	text   strings.Builder
	length int // length of text, in characters
	facts  []*fact
	used   map[string]int // occurrences of each value; more than one only for short lists in a long passage
	last   string         // subject of the previous sentence
	named  map[string]int // position of each subject's last name
}

// Lengths of passages, in subjects. A short passage has 30 to 170 tokens; a long one exceeds the tokens that a model
// reads at once.
const (
	longPercent           = 4
	fewest, most          = 2, 5
	minLong, maxLong      = 17, 20
	factsLeast, factsMost = 1, 2
	topicRelations        = 3 // relations of one kind of subject in a passage
	fillerPercent         = 12
	pronounPercent        = 60
	shufflePercent        = 25
	relativePercent       = 40
)

// compose writes the whole passage.
func (w *writer) compose() {
	w.used, w.named = map[string]int{}, map[string]int{}
	subjects := w.random.Between(fewest, most)
	if w.random.Chance(longPercent) {
		subjects = w.random.Between(minLong, maxLong)
	}
	topics := w.topics()
	for range subjects {
		w.addSubject(topics[w.random.Below(len(topics))])
	}
	if w.random.Chance(shufflePercent) {
		w.facts = draw.Shuffle(w.random, w.facts)
	}
	for _, f := range w.facts {
		if w.random.Chance(fillerPercent) {
			w.addFiller()
		}
		w.tell(f)
	}
}

// topics returns the few relations that the passage uses, by kind of subject.
func (w *writer) topics() [][]relation {
	var topics [][]relation
	for _, k := range [...]kind{person, town, firm} {
		if k != person && w.random.Chance(50) {
			continue
		}
		topics = append(topics, draw.Shuffle(w.random, relations(k))[:topicRelations])
	}
	return topics
}

// addSubject adds a new subject with its facts.
func (w *writer) addSubject(topic []relation) {
	name := w.subject(topic[0].subject)
	n := w.random.Between(factsLeast, factsMost)
	for _, r := range draw.Shuffle(w.random, topic)[:n] {
		w.facts = append(w.facts, &fact{relation: r, values: [3]string{name, w.unused(r.a), w.unused(r.b)}})
	}
}

// subject draws a new subject. A person may be a relative of the previous one.
func (w *writer) subject(k kind) string {
	if k == person && len(w.facts) > 0 && w.random.Chance(relativePercent) {
		before := w.facts[len(w.facts)-1]
		if before.relation.subject == person {
			_, family, _ := strings.Cut(before.values[0], " ")
			first := choose(w.random, firstNames(w.random.Chance(50)))
			if name := first + " " + family; w.used[name] == 0 {
				w.used[name]++
				return name
			}
		}
	}
	return w.unused(k)
}

// tries limits the search for a new value, because long passages may use up a short list.
const tries = 40

func (w *writer) unused(k kind) string {
	value := k.draw(w.random)
	for i := 0; i < tries && w.used[value] > 0; i++ {
		value = k.draw(w.random)
	}
	w.used[value]++
	return value
}

func (w *writer) addFiller() {
	w.start()
	w.write(choose(w.random, fillers()))
}

// start separates sentences.
func (w *writer) start() {
	if w.length > 0 {
		w.write(" ")
	}
}

func (w *writer) write(text string) {
	w.text.WriteString(text)
	w.length += utf8.RuneCountInString(text)
}

// tell writes the sentence of a fact and records the positions of its values.
func (w *writer) tell(f *fact) {
	w.start()
	sentence := w.length
	pronoun := w.last == f.values[0] && w.random.Chance(pronounPercent)
	for i, part := range strings.SplitAfter(choose(w.random, f.relation.say), "$") {
		if i > 0 {
			w.tellValue(f, part[0], pronoun, w.length == sentence)
			part = part[1:]
		}
		w.write(strings.TrimSuffix(part, "$"))
	}
	w.last = f.values[0]
}

// tellValue writes the value of a mark, or a pronoun for the subject. The position of a pronoun is that of the
// subject's last name.
func (w *writer) tellValue(f *fact, mark byte, pronoun, first bool) {
	at, name := slot(mark), f.values[0]
	switch {
	case at == 0 && pronoun:
		f.places[0] = w.named[name]
		w.write(capital(pronounOf(f.relation.subject, name, mark == 'S'), first))
		return
	case at == 0:
		w.named[name] = w.length
	}
	f.places[at] = w.length
	w.write(f.values[at])
}

func pronounOf(k kind, name string, object bool) string {
	switch {
	case k == town:
		return "the town"
	case k == firm:
		return "the firm"
	case isWoman(name) && object:
		return "her"
	case isWoman(name):
		return "she"
	case object:
		return "him"
	}
	return "he"
}

func capital(text string, first bool) string {
	if !first {
		return text
	}
	return string(unicode.ToUpper(rune(text[0]))) + text[1:]
}

// questions writes n different questions.
func (w *writer) questions(n int) []squad.Question {
	type choice struct {
		fact *fact
		ask  ask
	}
	var choices []choice
	for _, f := range w.facts {
		for _, a := range f.relation.ask {
			if a.answer != 's' || w.used[f.values[1]] == 1 && w.used[f.values[2]] == 1 {
				choices = append(choices, choice{f, a})
			}
		}
	}
	var questions []squad.Question
	for _, c := range draw.Shuffle(w.random, choices)[:n] {
		at := slot(c.ask.answer)
		questions = append(questions, squad.Question{
			Text:    c.fact.fill(c.ask.text),
			Answers: []squad.AcceptedAnswer{{Text: c.fact.values[at], Start: c.fact.places[at]}},
		})
	}
	return questions
}

// fill inserts the values into a question.
func (f *fact) fill(text string) string {
	return strings.NewReplacer("$s", f.values[0], "$a", f.values[1], "$b", f.values[2]).Replace(text)
}
