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
	random      *draw.Random
	text        strings.Builder
	length      int // length of text, in characters
	facts       []*fact
	used        map[string]int // occurrences of each value; more than one only for short lists in a long passage
	lastSubject string         // subject of the previous sentence
	namedAt     map[string]int // position of each subject's last name
}

// Lengths of passages, in subjects. A short passage has 30 to 170 tokens; a long one exceeds the tokens that a model
// reads at once.
const (
	longPercent              = 4
	minSubjects, maxSubjects = 2, 5
	minLong, maxLong         = 17, 20
	minFacts, maxFacts       = 1, 2
	topicRelations           = 3 // relations of one kind of subject in a passage
	fillerPercent            = 12
	pronounPercent           = 60
	shufflePercent           = 25
	relativePercent          = 40
)

// compose writes the whole passage.
func (w *writer) compose() {
	w.used, w.namedAt = map[string]int{}, map[string]int{}
	subjects := w.random.IntBetween(minSubjects, maxSubjects)
	if w.random.Chance(longPercent) {
		subjects = w.random.IntBetween(minLong, maxLong)
	}
	topics := w.drawTopics()
	for range subjects {
		w.addSubject(topics[w.random.IntBelow(len(topics))])
	}
	if w.random.Chance(shufflePercent) {
		w.facts = draw.Shuffle(w.random, w.facts)
	}
	for _, f := range w.facts {
		if w.random.Chance(fillerPercent) {
			w.addFiller()
		}
		w.writeFact(f)
	}
}

// drawTopics returns the few relations that the passage uses, by kind of subject.
func (w *writer) drawTopics() [][]relation {
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
	name := w.drawSubject(topic[0].subject)
	n := w.random.IntBetween(minFacts, maxFacts)
	for _, r := range draw.Shuffle(w.random, topic)[:n] {
		w.facts = append(w.facts, &fact{relation: r, values: [3]string{name, w.drawUnused(r.a), w.drawUnused(r.b)}})
	}
}

// drawSubject draws a new subject. A person may be a relative of the previous one.
func (w *writer) drawSubject(k kind) string {
	if k == person && len(w.facts) > 0 && w.random.Chance(relativePercent) {
		before := w.facts[len(w.facts)-1]
		if before.relation.subject == person {
			_, family, _ := strings.Cut(before.values[0], " ")
			first := drawOne(w.random, firstNames(w.random.Chance(50)))
			if name := first + " " + family; w.used[name] == 0 {
				w.used[name]++
				return name
			}
		}
	}
	return w.drawUnused(k)
}

// tries limits the search for a new value, because long passages may use up a short list.
const tries = 40

func (w *writer) drawUnused(k kind) string {
	value := k.drawValue(w.random)
	for i := 0; i < tries && w.used[value] > 0; i++ {
		value = k.drawValue(w.random)
	}
	w.used[value]++
	return value
}

func (w *writer) addFiller() {
	w.startSentence()
	w.writeText(drawOne(w.random, fillers()))
}

// startSentence separates sentences.
func (w *writer) startSentence() {
	if w.length > 0 {
		w.writeText(" ")
	}
}

func (w *writer) writeText(text string) {
	w.text.WriteString(text)
	w.length += utf8.RuneCountInString(text)
}

// writeFact writes the sentence of a fact and records the positions of its values.
func (w *writer) writeFact(f *fact) {
	w.startSentence()
	sentence := w.length
	pronoun := w.lastSubject == f.values[0] && w.random.Chance(pronounPercent)
	for i, part := range strings.SplitAfter(drawOne(w.random, f.relation.sentences), "$") {
		if i > 0 {
			w.writeValue(f, part[0], pronoun, w.length == sentence)
			part = part[1:]
		}
		w.writeText(strings.TrimSuffix(part, "$"))
	}
	w.lastSubject = f.values[0]
}

// writeValue writes the value of a mark, or a pronoun for the subject. The position of a pronoun is that of the
// subject's last name.
func (w *writer) writeValue(f *fact, mark byte, pronoun, first bool) {
	at, name := slot(mark), f.values[0]
	switch {
	case at == 0 && pronoun:
		f.places[0] = w.namedAt[name]
		w.writeText(capital(pronounOf(f.relation.subject, name, mark == 'S'), first))
		return
	case at == 0:
		w.namedAt[name] = w.length
	}
	f.places[at] = w.length
	w.writeText(f.values[at])
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

// writeQuestions writes n different questions.
func (w *writer) writeQuestions(n int) []squad.Question {
	type choice struct {
		fact *fact
		ask  questionForm
	}
	var choices []choice
	for _, f := range w.facts {
		for _, a := range f.relation.questions {
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
