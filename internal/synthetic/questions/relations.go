package questions

// relation is a kind of statement about a subject, with values $a and $b. The subject is $s, or $S in places other than
// the subject of a sentence.
type relation struct {
	subject   kind
	a, b      kind
	sentences []string
	questions []questionForm
}

// questionForm is a question, and the part of the fact that answers it: 's', 'a' or 'b'. A question for the subject
// names a value.
type questionForm struct {
	text   string
	answer byte
}

// relations returns all relations of a kind of subject.
func relations(subject kind) []relation {
	switch subject {
	case person:
		return personRelations()
	case town:
		return townRelations()
	default:
		return firmRelations()
	}
}

func personRelations() []relation {
	return []relation{
		{person, town, year,
			[]string{"$s was born in $a in $b.", "In $b $s was born in $a.", "$s was born at home in $a in the spring of $b."},
			[]questionForm{{"Where was $s born?", 'a'}, {"In which town was $s born?", 'a'}, {"In what year was $s born?", 'b'},
				{"When was $s born?", 'b'}, {"Who was born in $a?", 's'}}},
		{person, job, town,
			[]string{"$s worked as a $a in $b.", "In $b $s found work as a $a.", "For ten years $s was a $a in $b."},
			[]questionForm{{"What did $s work as?", 'a'}, {"What was the job of $s?", 'a'}, {"Where did $s work?", 'b'},
				{"Who was a $a?", 's'}, {"Who worked in $b?", 's'}}},
		{person, person, date,
			[]string{"$s married $a on $b.", "On $b $s was married to $a.", "The wedding of $S with $a was held on $b."},
			[]questionForm{{"Whom did $s marry?", 'a'}, {"When did $s marry?", 'b'}, {"On what day was the wedding of $s?", 'b'},
				{"Who was married on $b?", 's'}}},
		{person, count, animal,
			[]string{"$s owned $a $b.", "$s kept $a $b on a farm.", "By then $s had bought $a $b."},
			[]questionForm{{"How many $b did $s have?", 'a'}, {"What animals did $s own?", 'b'}, {"Who had $a $b?", 's'},
				{"How many animals did $s keep?", 'a'}}},
		{person, title, year,
			[]string{"$s wrote $a in $b.", "In $b $s published a book called $a.", "A novel by $S, $a, came out in $b."},
			[]questionForm{{"What did $s write?", 'a'}, {"Who wrote $a?", 's'}, {"When was $a published?", 'b'},
				{"Which book is by $s?", 'a'}}},
		{person, town, date,
			[]string{"$s travelled to $a on $b.", "On $b $s set out for $a.", "A letter says that $s reached $a on $b."},
			[]questionForm{{"Where did $s travel to?", 'a'}, {"When did $s travel to $a?", 'b'}, {"Who went to $a?", 's'},
				{"On what day did $s go on a journey?", 'b'}}},
		{person, person, skill,
			[]string{"$s learned $b from $a.", "It was $a who taught $S $b.", "$s took lessons in $b with $a."},
			[]questionForm{{"Who taught $s?", 'a'}, {"What did $s learn?", 'b'}, {"Whom did $a teach?", 's'},
				{"From whom did $s take lessons?", 'a'}}},
		{person, thousand, year,
			[]string{"$s won $a crowns in $b.", "In $b $s received a prize of $a crowns.",
				"A prize of $a crowns went to $S in $b."},
			[]questionForm{{"How many crowns did $s win?", 'a'}, {"In what year did $s win a prize?", 'b'},
				{"Who won $a crowns?", 's'},
				{"How large was the prize of $s?", 'a'}}},
	}
}

func townRelations() []relation {
	return []relation{
		{town, thousand, year,
			[]string{"$s had $a inhabitants in $b.", "In $b about $a people lived in $S.", "The population of $S was $a in $b."},
			[]questionForm{{"How many people lived in $s?", 'a'}, {"What was the population of $s?", 'a'},
				{"Which town had $a inhabitants?", 's'}}},
		{town, person, year,
			[]string{"$s was founded by $a in $b.", "In $b $a founded $S.",
				"$s goes back to $a, who laid its first stone in $b."},
			[]questionForm{{"Who founded $s?", 'a'}, {"When was $s founded?", 'b'}, {"What did $a found?", 's'},
				{"In what year was the first stone of $s laid?", 'b'}}},
		{town, river, count,
			[]string{"$s lies on the river $a, $b miles from the sea.",
				"The river $a flows through $S, $b miles from the coast."},
			[]questionForm{{"On which river does $s lie?", 'a'}, {"How many miles is $s from the sea?", 'b'},
				{"Which town lies on the $a?", 's'}, {"What flows through $s?", 'a'}}},
		{town, person, job,
			[]string{"The mayor of $S is $a, a former $b.", "$a, once a $b, is mayor of $S.",
				"$s elected $a, a $b, as its mayor."},
			[]questionForm{{"Who is the mayor of $s?", 'a'}, {"What was the mayor of $s before?", 'b'},
				{"Where is $a the mayor?", 's'}}},
		{town, building, year,
			[]string{"The $a of $S was built in $b.", "In $b $s opened its $a.", "$s is proud of its $a, finished in $b."},
			[]questionForm{{"What was built in $s?", 'a'}, {"When was the $a of $s built?", 'b'}, {"Which town has a $a?", 's'},
				{"What is $s proud of?", 'a'}}},
		{town, product, count,
			[]string{"$s is known for its $a, sold in $b shops.", "People buy $a from $S in $b shops."},
			[]questionForm{{"What is $s known for?", 'a'}, {"Which town is known for $a?", 's'},
				{"In how many shops is the $a of $s sold?", 'b'}}},
	}
}

func firmRelations() []relation {
	return []relation{
		{firm, product, town,
			[]string{"$s makes $a in $b.", "The $a of $S come from a plant in $b.", "In $b $s produces $a."},
			[]questionForm{{"What does $s make?", 'a'}, {"Where does $s have a plant?", 'b'}, {"Who makes $a?", 's'},
				{"Which firm produces $a?", 's'}}},
		{firm, count, year,
			[]string{"$s employed $a people in $b.", "In $b there were $a workers at $S."},
			[]questionForm{{"How many people did $s employ?", 'a'}, {"How many workers did $s have?", 'a'},
				{"Which firm employed $a people?", 's'}}},
		{firm, person, year,
			[]string{"$a has led $S since $b.", "Since $b the head of $S has been $a."},
			[]questionForm{{"Who leads $s?", 'a'}, {"Who is the head of $s?", 'a'}, {"Which firm does $a lead?", 's'},
				{"Since when has $a led $s?", 'b'}}},
		{firm, thousand, date,
			[]string{"$s was sold for $a crowns on $b.", "On $b a buyer paid $a crowns for $S."},
			[]questionForm{{"For how many crowns was $s sold?", 'a'}, {"When was $s sold?", 'b'}, {"What was the price of $s?",
				'a'},
				{"Which firm was sold on $b?", 's'}}},
	}
}

// fillers returns sentences without information.
func fillers() []string {
	return []string{
		"Little else is known of those years.", "The winter was long and the roads were bad.",
		"Some letters of the time were lost in a fire.",
		"Historians do not agree on every point.", "A small plaque tells the story today.",
		"The newspapers wrote about it for weeks.",
		"Much has changed since then.", "Not all of the records have survived.",
	}
}
