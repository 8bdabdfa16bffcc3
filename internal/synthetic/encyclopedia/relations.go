package encyclopedia

import "strings"

// relation is a kind of statement about a subject, $s, with a value, $a.
type relation struct {
	subject, object kind
	the             string   // the value's relation to the subject, in the words of a question of two steps
	say             []string // sentences; those of one kind of subject differ not only in their values
	ask             []string // questions for the value; none: the relation is only an intermediate step
	list            []string // possible values of the kind word
}

// relations contains all relations, by subject. The first relations of a subject lead to other pages.
var relations = []relation{
	{subject: person, object: town, the: "the birthplace of $s",
		say: []string{"$s was born in $a.", "The birthplace of $s is $a."}},
	{subject: person, object: person, the: "the teacher of $s",
		say: []string{"$s took lessons with $a.", "It was $a who taught $s."}},
	{subject: person, object: woman, the: "the mother of $s",
		say: []string{"The mother of $s was $a.", "$s was a child of $a, the mother of five."},
		ask: []string{"Who was the mother of $s?", "What was the name of the mother of $s?"}},
	{subject: person, object: man, the: "the father of $s",
		say: []string{"The father of $s was $a.", "The workshop of $a, the father of $s, burned down."},
		ask: []string{"Who was the father of $s?", "What was the name of the father of $s?"}},
	{subject: person, object: year, the: "the year of birth of $s",
		say: []string{"The year of birth of $s was $a.", "The church book has $s under the year $a."},
		ask: []string{"In which year was $s born?", "What was the year of birth of $s?"}},
	{subject: person, object: word, list: jobs, the: "the trade of $s",
		say: []string{"$s worked as a $a.", "The trade of $s was that of a $a."},
		ask: []string{"What did $s work as?", "What was the trade of $s?"}},
	{subject: person, object: woman, the: "the neighbour of $s",
		say: []string{"The neighbour of $s was $a.", "$s lived next door to $a."},
		ask: []string{"Who was the neighbour of $s?", "Next door to whom did $s live?"}},
	{subject: person, object: word, list: books, the: "the book of $s",
		say: []string{"$s wrote a book called $a.", "A novel by $s has the title $a."},
		ask: []string{"Which book did $s write?", "What is the title of the novel by $s?"}},
	{subject: person, object: word, list: animals, the: "the animals of $s",
		say: []string{"$s kept $a on a farm.", "The farm of $s had $a."},
		ask: []string{"Which animals did $s keep?", "What animals were on the farm of $s?"}},
	{subject: person, object: word, list: instruments, the: "the instrument of $s",
		say: []string{"$s played the $a.", "The instrument of $s was the $a."},
		ask: []string{"Which instrument did $s play?", "What was the instrument of $s?"}},

	{subject: town, object: person, the: "the mayor of $s",
		say: []string{"The mayor of $s is $a.", "$s elected $a as its mayor."}},
	{subject: town, object: man, the: "the builder of $s",
		say: []string{"The first stone of $s was laid by $a.", "It was $a who laid out the streets of $s."},
		ask: []string{"Who laid the first stone of $s?", "Who laid out the streets of $s?"}},
	{subject: town, object: year, the: "the year of the charter of $s",
		say: []string{"$s got its charter in $a.", "The charter of $s is of the year $a."},
		ask: []string{"When did $s get its charter?", "Of which year is the charter of $s?"}},
	{subject: town, object: word, list: rivers, the: "the river of $s",
		say: []string{"$s lies on the river $a.", "The river of $s is called $a."},
		ask: []string{"On which river does $s lie?", "What is the river of $s called?"}},
	{subject: town, object: word, list: products, the: "the wares of $s",
		say: []string{"$s is known for its $a.", "Traders buy $a from $s."},
		ask: []string{"What is $s known for?", "What do traders buy from $s?"}},
	{subject: town, object: word, list: buildings, the: "the pride of $s",
		say: []string{"The pride of $s is its $a.", "Visitors come to $s to see the $a."},
		ask: []string{"Which building is the pride of $s?", "Which building do visitors see in $s?"}},

	{subject: feast, object: town, the: "the town that hosts $s",
		say: []string{"$s is held in $a.", "The town of $a is the host of $s."}},
	{subject: feast, object: person, the: "the founder of $s",
		say: []string{"$s was started by $a.", "The founder of $s was $a."}},
	{subject: feast, object: year, the: "the first year of $s",
		say: []string{"$s was first held in $a.", "The first year of $s was $a."},
		ask: []string{"When was $s first held?", "What was the first year of $s?"}},
	{subject: feast, object: word, list: prizes, the: "the prize of $s",
		say: []string{"The prize of $s is $a.", "Whoever wins $s gets $a."},
		ask: []string{"What is the prize of $s?", "What does the winner of $s get?"}},
	{subject: feast, object: woman, the: "the last winner of $s",
		say: []string{"The last winner of $s was $a.", "The jury of $s chose $a last."},
		ask: []string{"Who was the last winner of $s?", "Whom did the jury of $s choose last?"}},
	{subject: feast, object: word, list: months, the: "the month of $s",
		say: []string{"$s takes place in $a.", "The month of $s is $a."},
		ask: []string{"In which month does $s take place?", "What is the month of $s?"}},
}

// linked reports whether the value has a page.
func (r *relation) linked() bool { return r.object <= feast }

// noun returns the word for the value: "mayor" of "the mayor of $s". It is unique among the relations of a kind of
// subject.
func (r *relation) noun() string {
	noun, _, _ := strings.Cut(strings.TrimPrefix(r.the, "the "), " ")
	return noun
}

// kindNames are the names of subjects in descriptions.
var kindNames = [...]string{person: "person", town: "town", feast: "feast"}
