package encyclopedia

import "strings"

// relation is a kind of statement about a subject, $s, with a value, $a.
type relation struct {
	subject, object kind
	phrase          string   // the value's relation to the subject, in the words of a question of two steps
	sentences       []string // sentences; those of one kind of subject differ not only in their values
	questions       []string // questions for the value; none: the relation is only an intermediate step
	values          []string // possible values of the kind word
}

// relations contains all relations, by subject. The first relations of a subject lead to other pages.
var relations = []relation{
	{subject: person, object: town, phrase: "the birthplace of $s",
		sentences: []string{"$s was born in $a.", "The birthplace of $s is $a."}},
	{subject: person, object: person, phrase: "the teacher of $s",
		sentences: []string{"$s took lessons with $a.", "It was $a who taught $s."}},
	{subject: person, object: woman, phrase: "the mother of $s",
		sentences: []string{"The mother of $s was $a.", "$s was a child of $a, the mother of five."},
		questions: []string{"Who was the mother of $s?", "What was the name of the mother of $s?"}},
	{subject: person, object: man, phrase: "the father of $s",
		sentences: []string{"The father of $s was $a.", "The workshop of $a, the father of $s, burned down."},
		questions: []string{"Who was the father of $s?", "What was the name of the father of $s?"}},
	{subject: person, object: year, phrase: "the year of birth of $s",
		sentences: []string{"The year of birth of $s was $a.", "The church book has $s under the year $a."},
		questions: []string{"In which year was $s born?", "What was the year of birth of $s?"}},
	{subject: person, object: word, values: jobs, phrase: "the trade of $s",
		sentences: []string{"$s worked as a $a.", "The trade of $s was that of a $a."},
		questions: []string{"What did $s work as?", "What was the trade of $s?"}},
	{subject: person, object: woman, phrase: "the neighbour of $s",
		sentences: []string{"The neighbour of $s was $a.", "$s lived next door to $a."},
		questions: []string{"Who was the neighbour of $s?", "Next door to whom did $s live?"}},
	{subject: person, object: word, values: books, phrase: "the book of $s",
		sentences: []string{"$s wrote a book called $a.", "A novel by $s has the title $a."},
		questions: []string{"Which book did $s write?", "What is the title of the novel by $s?"}},
	{subject: person, object: word, values: animals, phrase: "the animals of $s",
		sentences: []string{"$s kept $a on a farm.", "The farm of $s had $a."},
		questions: []string{"Which animals did $s keep?", "What animals were on the farm of $s?"}},
	{subject: person, object: word, values: instruments, phrase: "the instrument of $s",
		sentences: []string{"$s played the $a.", "The instrument of $s was the $a."},
		questions: []string{"Which instrument did $s play?", "What was the instrument of $s?"}},

	{subject: town, object: person, phrase: "the mayor of $s",
		sentences: []string{"The mayor of $s is $a.", "$s elected $a as its mayor."}},
	{subject: town, object: man, phrase: "the builder of $s",
		sentences: []string{"The first stone of $s was laid by $a.", "It was $a who laid out the streets of $s."},
		questions: []string{"Who laid the first stone of $s?", "Who laid out the streets of $s?"}},
	{subject: town, object: year, phrase: "the year of the charter of $s",
		sentences: []string{"$s got its charter in $a.", "The charter of $s is of the year $a."},
		questions: []string{"When did $s get its charter?", "Of which year is the charter of $s?"}},
	{subject: town, object: word, values: rivers, phrase: "the river of $s",
		sentences: []string{"$s lies on the river $a.", "The river of $s is called $a."},
		questions: []string{"On which river does $s lie?", "What is the river of $s called?"}},
	{subject: town, object: word, values: products, phrase: "the wares of $s",
		sentences: []string{"$s is known for its $a.", "Traders buy $a from $s."},
		questions: []string{"What is $s known for?", "What do traders buy from $s?"}},
	{subject: town, object: word, values: buildings, phrase: "the pride of $s",
		sentences: []string{"The pride of $s is its $a.", "Visitors come to $s to see the $a."},
		questions: []string{"Which building is the pride of $s?", "Which building do visitors see in $s?"}},

	{subject: feast, object: town, phrase: "the town that hosts $s",
		sentences: []string{"$s is held in $a.", "The town of $a is the host of $s."}},
	{subject: feast, object: person, phrase: "the founder of $s",
		sentences: []string{"$s was started by $a.", "The founder of $s was $a."}},
	{subject: feast, object: year, phrase: "the first year of $s",
		sentences: []string{"$s was first held in $a.", "The first year of $s was $a."},
		questions: []string{"When was $s first held?", "What was the first year of $s?"}},
	{subject: feast, object: word, values: prizes, phrase: "the prize of $s",
		sentences: []string{"The prize of $s is $a.", "Whoever wins $s gets $a."},
		questions: []string{"What is the prize of $s?", "What does the winner of $s get?"}},
	{subject: feast, object: woman, phrase: "the last winner of $s",
		sentences: []string{"The last winner of $s was $a.", "The jury of $s chose $a last."},
		questions: []string{"Who was the last winner of $s?", "Whom did the jury of $s choose last?"}},
	{subject: feast, object: word, values: months, phrase: "the month of $s",
		sentences: []string{"$s takes place in $a.", "The month of $s is $a."},
		questions: []string{"In which month does $s take place?", "What is the month of $s?"}},
}

// leadsToPage reports whether the value has a page.
func (r *relation) leadsToPage() bool { return r.object <= feast }

// noun returns the word for the value: "mayor" of "the mayor of $s". It is unique among the relations of a kind of
// subject.
func (r *relation) noun() string {
	noun, _, _ := strings.Cut(strings.TrimPrefix(r.phrase, "the "), " ")
	return noun
}

// kindNames are the names of subjects in descriptions.
var kindNames = [...]string{person: "person", town: "town", feast: "feast"}
