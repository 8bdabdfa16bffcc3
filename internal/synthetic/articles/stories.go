package articles

// leads returns first sentences. They contain no facts of the event.
func leads() []string {
	return []string{
		"People in {town} have something new to talk about.",
		"Not much ever happens here, says {other}, but this week was different.",
		"It was a week that {other} of {town} will remember.",
		"“I could hardly believe it,” said {other} on {when}.",
		"The news reached {town} late.",
		"When {other} heard of it, the coffee went cold.",
		"Nobody had seen it coming, least of all in {town}.",
		"For {k} years little had changed.",
	}
}

// asides returns sentences about other people, places, days and numbers.
func asides() []string {
	return []string{
		"Last year {other} tried the same in {town} and failed.",
		"A letter from {other} arrived too late.",
		"On {when} the weather should be better.",
		"A bus from {town} was {k} minutes late.",
		"The hotels of {town} had {k} rooms left.",
		"The radio spoke of it for {j} minutes.",
		"{other}, who turned {k} this week, had never seen anything like it.",
		"Many shops will be closed on {when}.",
		"A picture taken by {other} was shared {j} times.",
		"The café at the station sold {j} cups of tea.",
	}
}

// stories returns the kinds of events.
func stories() []story { //nolint:funlen // a table
	return []story{
		{
			things: []string{"library", "museum", "theatre", "school", "clinic", "market hall"},
			facts: [][]string{
				{"The ribbon of the {thing} was cut by {who}.", "{who} held the key when the {thing} was unlocked.",
					"The first guests of the {thing} were greeted by {who}."},
				{"The ceremony brought all of {where} together on {day}.", "{where} had waited for this {day} for years.",
					"Flags hung from the windows of {where} on {day}."},
				{"The builders sent a bill of {n} million pounds.", "In the end the work came to {n} million pounds.",
					"The council had to find {n} million pounds for it."},
				{"By nightfall {m} visitors had been counted.", "The staff at the door counted {m} visitors.",
					"No fewer than {m} visitors walked through it."},
			},
			summary: "{who} opened a new {thing} in {where} on {day}. It cost {n} million pounds and drew {m} visitors on its " +
				"first day. {last} called the {thing} a gift to the people of {where}.",
		},
		{
			things: []string{"storm", "flood", "blizzard", "hailstorm", "fire"},
			facts: [][]string{
				{"The {thing} came over {where} without a warning.", "Nothing in {where} was ready for the {thing}.",
					"The {thing} caught {where} asleep."},
				{"The worst of it was felt on {day}.", "It began early on {day}.", "By noon on {day} the streets were empty."},
				{"Roofs and walls of {n} houses are broken.", "The owners of {n} houses have called their insurers.",
					"In all {n} houses will need repair."},
				{"With the crews of {who}, {m} people got out unhurt.",
					"The boats and ladders of {who} reached {m} people in time.", "It was {who} whose teams found {m} people alive."},
			},
			summary: "A {thing} hit {where} on {day} and damaged {n} houses. Rescuers led by {who} brought {m} people to " +
				"safety. The people of {where} will need time to get over the {thing}.",
		},
		{
			things: []string{"football", "rugby", "hockey", "tennis", "cricket", "chess"},
			facts: [][]string{
				{"The {thing} cup goes to {where}.", "Players of {where} lifted the {thing} cup.",
					"Nobody could stop {where} in the {thing} cup."},
				{"All was decided on {day} before {m} fans.", "On {day} {m} fans saw the last minutes.",
					"The {m} fans will not forget this {day}."},
				{"The lead at the end was {n} points.", "The others were {n} points short.", "A gap of {n} points said it all."},
				{"Nobody played better than {who}.", "The medal for the finest play went to {who}.",
					"The judges liked {who} most."},
			},
			summary: "{where} won the {thing} final on {day} by {n} points before a crowd of {m}. {who} was named the best " +
				"player. It is the first time that the {thing} cup goes to {where}.",
		},
		{
			things: []string{"mayor", "sheriff", "governor", "judge"},
			facts: [][]string{
				{"The next {thing} will be {who}.", "{who} takes the chair of the {thing}.",
					"The oath of the {thing} will be sworn by {who}."},
				{"The polls of {where} closed late on {day}.", "On {day} long lines stood before the schools of {where}.",
					"Rain kept few people of {where} at home on {day}."},
				{"The count showed {n} percent for the winner.", "With {n} percent the result was clear.",
					"The share of {n} percent surprised the experts."},
				{"The first promise is to build {m} homes.", "Plans for {m} homes lie on the desk.",
					"There is money for {m} homes already."},
			},
			summary: "{who} was elected {thing} of {where} on {day} with {n} percent of the vote. The winner wants to build " +
				"{m} homes. {last} takes the office of {thing} in {where} next month.",
		},
		{
			things: []string{"paintings", "watches", "coins", "violins", "bicycles", "books"},
			facts: [][]string{
				{"The shelves lack {n} {thing}.", "The owner misses {n} {thing}.",
					"When the lights came on, {n} {thing} were gone."},
				{"An alarm rang in {where} on {day}.", "A window in {where} was found open on {day}.",
					"It happened in {where} in the night to {day}."},
				{"Clues should be sent to {who}.", "The case lies with {who}.", "{who} took fingerprints at the door."},
				{"A hint may be worth {m} pounds.", "The insurance pays {m} pounds for help.", "Whoever helps gets {m} pounds."},
			},
			summary: "Thieves stole {n} {thing} from a house in {where} on {day}. Inspector {who} offers a reward of {m} " +
				"pounds. The police of {where} have found no trace of the {thing}.",
		},
		{
			things: []string{"car", "paper", "glass", "chocolate", "toy", "shoe"},
			facts: [][]string{
				{"The gates of the {thing} factory stayed shut on {day}.", "No smoke rose from the {thing} factory on {day}.",
					"On {day} the machines of the {thing} factory stood still."},
				{"All over {where} {n} people carried signs.", "The march through {where} had {n} people.",
					"In the rain of {where} {n} people sang."},
				{"At the front walked {who}.", "{who} spoke to them for the union.", "The talks are in the hands of {who}."},
				{"Wages should grow by {m} percent.", "They want {m} percent more in the purse.",
					"Less than {m} percent will not do."},
			},
			summary: "Led by {who}, {n} workers of a {thing} factory in {where} went on strike on {day}. They demand {m} " +
				"percent more pay. {last} will meet the owners of the {thing} factory again.",
		},
		{
			things: []string{"ship", "temple", "statue", "sword", "crown", "tomb"},
			facts: [][]string{
				{"Under the mud lay a {thing}, {m} metres down.", "At {m} metres the lamp fell on a {thing}.",
					"Below {m} metres of sand a {thing} was waiting."},
				{"The dig near {where} had gone on for months.", "The hills of {where} had kept the secret.",
					"Old maps of {where} had shown the way."},
				{"The spade of {who} struck it on {day}.", "On {day} {who} saw it first.",
					"The diary of {who} has one line for {day}."},
				{"Tests say that it is {n} centuries old.", "It was made {n} centuries ago.",
					"For {n} centuries nobody had touched it."},
			},
			summary: "{who} discovered a {thing} near {where} on {day}. It is {n} centuries old and was buried {m} metres " +
				"deep. The {thing} will be shown in the museum of {where}.",
		},
		{
			things: []string{"poetry", "science", "cooking", "music", "garden", "dance"},
			facts: [][]string{
				{"The {thing} prize has a new holder, {who}.", "The jury of the {thing} prize chose {who}.",
					"{who} wept when the {thing} prize was read out."},
				{"The hall in {where} was full on {day}.", "On {day} the guests dined in {where}.",
					"The feast in {where} lasted all {day}."},
				{"There had been {n} others on the list.", "All {n} others went home with flowers.",
					"The work of {n} others was praised too."},
				{"The cheque says {m} thousand pounds.", "A sum of {m} thousand pounds comes with it.",
					"What to do with {m} thousand pounds is not decided."},
			},
			summary: "{who} won the {thing} prize in {where} on {day} against {n} rivals. The award is worth {m} thousand " +
				"pounds. {last} thanked the jury of the {thing} prize for the honour.",
		},
		{
			things: []string{"balloon", "canoe", "tractor", "horse", "sled", "tandem"},
			facts: [][]string{
				{"The {thing} of {who} has seen better days.", "{who} slept beside the {thing} each night.",
					"Without the {thing} {who} would have given up."},
				{"The bells of {where} rang for the guest on {day}.", "On {day} half of {where} stood at the road.",
					"A band played in the square of {where} on {day}."},
				{"Only {n} days had passed since the start.", "It had taken {n} days.", "After {n} days the boots were worn out."},
				{"Friends gave {m} pounds for the sick.", "The hospital will get {m} pounds.",
					"In the hat were {m} pounds for charity."},
			},
			summary: "{who} reached {where} by {thing} on {day} after a journey of {n} days. The trip raised {m} pounds for a " +
				"good cause. {last} will travel home from {where} with the {thing}.",
		},
		{
			things: []string{"tiger", "monkey", "penguin", "zebra", "python", "parrot"},
			facts: [][]string{
				{"The cage of the {thing} was empty on {day}.", "On {day} the {thing} was not at breakfast.",
					"The {thing} had climbed the fence by {day}."},
				{"The zoo of {where} closed its gates.", "Children were kept inside in {where}.",
					"The police of {where} searched the parks."},
				{"After {n} hours it lay in the net of {who}.", "It took {who} {n} hours and a banana.",
					"For {n} hours {who} had followed the tracks."},
				{"It sat on a roof {m} miles away.", "It had run {m} miles.", "A farm {m} miles off had called."},
			},
			summary: "A {thing} escaped from the zoo in {where} on {day}. Keeper {who} caught it after {n} hours at a " +
				"distance of {m} miles. The {thing} is back in the zoo of {where} and well.",
		},
	}
}
