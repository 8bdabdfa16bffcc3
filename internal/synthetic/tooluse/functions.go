package tooluse

import (
	"fmt"
	"strings"
)

// parameter is a parameter of a function: its name, its type in the leaderboard's terms, and its description.
type parameter struct{ name, typeName, about string }

// function is a function that can be called.
type function struct {
	name, about string
	parameters  []parameter
	question    string // a question, with {name} for the value of each parameter
	values      map[string][]any
}

// functions returns twelve functions of an office assistant.
func functions() []function {
	return []function{
		{"weather.forecast", "Tells the weather of a place.",
			[]parameter{{"place", "string", "where"}, {"days", "integer", "how many days ahead"}},
			"What will the weather be in {place} over the next {days} days?",
			map[string][]any{"place": {"Oslo", "Porto", "Lima", "Accra"}, "days": {3, 5, 7}}},
		{"table.book", "Books a table.",
			[]parameter{{"restaurant", "string", "its name"}, {"guests", "integer", "how many people"}},
			"Please get me a table for {guests} at {restaurant}.",
			map[string][]any{"restaurant": {"The Old Mill", "Lotus", "Casa Verde"}, "guests": {2, 4, 6}}},
		{"money.convert", "Converts an amount of money.",
			[]parameter{{"amount", "float", "how much"}, {"source", "string", "currency code"},
				{"target", "string", "currency code"}},
			"How much is {amount} {source} in {target}?",
			map[string][]any{"amount": {12.5, 99.9, 250.25}, "source": {"EUR", "CHF"}, "target": {"JPY", "NOK"}}},
		{"reminder_add", "Sets a reminder.",
			[]parameter{{"text", "string", "what to say"}, {"minutes", "integer", "in how many minutes"}},
			"In {minutes} minutes remind me to {text}.",
			map[string][]any{"text": {"water the ferns", "call Ada", "take out the bread"}, "minutes": {10, 25, 40}}},
		{"files.list", "Lists the files of a folder.",
			[]parameter{{"folder", "string", "its path"}, {"hidden", "boolean", "those that begin with a dot, too"}},
			"List what is in {folder}; hidden files too: {hidden}.",
			map[string][]any{"folder": {"/srv/data", "/home/kim", "/var/log"}, "hidden": {true, false}}},
		{"message_send", "Sends a message.",
			[]parameter{{"to", "string", "who gets it"}, {"body", "string", "what it says"}},
			"Send {to} the message \"{body}\".",
			map[string][]any{"to": {"Robin", "Noor", "Ines"}, "body": {"I am late", "See you at noon", "All done"}}},
		{"timer.start", "Starts a timer.",
			[]parameter{{"seconds", "integer", "how long"}},
			"Start a timer of {seconds} seconds.",
			map[string][]any{"seconds": {45, 90, 300}}},
		{"area_of_rectangle", "Computes an area.",
			[]parameter{{"width", "float", "in metres"}, {"height", "float", "in metres"}},
			"What is the area of a rectangle that is {width} m wide and {height} m high?",
			map[string][]any{"width": {2.5, 4.25}, "height": {3.5, 8.75}}},
		{"route.plan", "Plans a way over several stops.",
			[]parameter{{"stops", "array", "in their order"}, {"mode", "string", "walk, bike or car"}},
			"Plan a way by {mode} over {stops}.",
			map[string][]any{"stops": {[]string{"station", "museum"}, []string{"harbour", "park", "hotel"}},
				"mode": {"bike", "car"}}},
		{"user.create", "Makes an account.",
			[]parameter{{"name", "string", "of the user"}, {"active", "boolean", "whether it may be used at once"}},
			"Make an account for {name}; active at once: {active}.",
			map[string][]any{"name": {"mira", "tom", "yuki"}, "active": {true, false}}},
		{"product_find", "Looks for a product.",
			[]parameter{{"query", "string", "what to look for"}, {"limits", "dict", "price and stars"}},
			"Find {query} with {limits}.",
			map[string][]any{"query": {"a kettle", "a desk lamp"},
				"limits": {map[string]int{"price": 40, "stars": 4}, map[string]int{"price": 25, "stars": 3}}}},
		{"item.rate", "Rates an item.",
			[]parameter{{"item", "string", "which"}, {"stars", "integer", "from 1 to 5"}},
			"Give {item} {stars} stars.",
			map[string][]any{"item": {"the blue chair", "the tea set"}, "stars": {4, 5}}},
	}
}

// types are the names of types in descriptions of Java and JavaScript functions.
var types = map[string]map[string]string{
	"simple_java":       {"string": "String", "array": "Array", "dict": "HashMap"},
	"simple_javascript": {"string": "String", "boolean": "Boolean"},
}

// typeIn returns the name of a type in a subset.
func typeIn(subset, of string) string {
	if name, ok := types[subset][of]; ok {
		return name
	}
	return of
}

// describe returns a function's description in a subset.
func (f *function) describe(subset string) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, p := range f.parameters {
		of := map[string]any{"type": typeIn(subset, p.typeName), "description": p.about}
		switch p.typeName {
		case "array":
			of["items"] = map[string]any{"type": typeIn(subset, "string")}
		case "dict":
			of["properties"] = map[string]any{
				"price": map[string]any{"type": "integer", "description": "at most"},
				"stars": map[string]any{"type": "integer", "description": "at least"},
			}
		}
		properties[p.name] = of
		required = append(required, p.name)
	}
	return map[string]any{
		"name": f.name, "description": f.about,
		"parameters": map[string]any{"type": "dict", "properties": properties, "required": required},
	}
}

// Call is a call of a function.
type Call struct {
	Name      string         // as sent to a server: without dots
	Arguments map[string]any // JSON values
}

// fillIn returns the question, the call and the answer for the k-th value of each parameter.
func (f *function) fillIn(subset string, k int) (question string, call Call, answer map[string]any) {
	question, call = f.question, Call{strings.ReplaceAll(f.name, ".", "_"), map[string]any{}}
	possible := map[string]any{}
	for i, p := range f.parameters {
		values := f.values[p.name]
		v := values[(k+i)%len(values)]
		question = strings.ReplaceAll(question, "{"+p.name+"}", valueInQuestion(v))
		call.Arguments[p.name], possible[p.name] = valueInCall(subset, v), []any{valueInAnswer(subset, v)}
	}
	return question, call, map[string]any{f.name: possible}
}

// valueInQuestion returns a value as written in a question.
func valueInQuestion(v any) string {
	switch v := v.(type) {
	case []string:
		return strings.Join(v, ", ")
	case map[string]int:
		return fmt.Sprintf("a price of at most %d and at least %d stars", v["price"], v["stars"])
	}
	return fmt.Sprint(v)
}

// valueInCall returns a value as written in a call. Values in Java and JavaScript are texts of literals.
func valueInCall(subset string, v any) any {
	if !strings.HasPrefix(subset, "simple_java") {
		return v
	}
	java := subset == "simple_java"
	switch v := v.(type) {
	case float64:
		if java {
			return fmt.Sprintf("%vf", v)
		}
	case []string:
		if java {
			return "new String[] {" + strings.Join(v, ", ") + "}"
		}
		return `["` + strings.Join(v, `", "`) + `"]`
	case map[string]int:
		if java {
			return fmt.Sprintf(`new HashMap<String, Integer>() {{ put("price", %d); put("stars", %d); }}`, v["price"],
				v["stars"])
		}
		return fmt.Sprintf("{price: %d, stars: %d}", v["price"], v["stars"])
	}
	return fmt.Sprint(v)
}

// valueInAnswer returns a value as written among the possible answers.
func valueInAnswer(_ string, v any) any {
	if d, ok := v.(map[string]int); ok {
		possible := map[string]any{}
		for key, n := range d {
			possible[key] = []any{n}
		}
		return possible
	}
	return v
}
