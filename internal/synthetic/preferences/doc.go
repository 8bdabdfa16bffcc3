// Package preferences generates streams of rated items in the official layout of the streaming recommendation benchmark
// (dlrm-v3). Users' tastes change over time, so a model must read a history in its order.
//
// The eight categories of the items form a ring. At any time a user likes one category most, its neighbours less, and
// the opposite ones least. From one period to the next the taste stays or moves by one category, always in the same
// direction. Recent ratings show the present taste; old ratings mislead a model that ignores their age. Ratings also
// depend on the item's quality, the strictness of the user's cohort, and noise, so the labels cannot be predicted
// completely even from the hidden taste.
//
// A user's stream depends only on the user's number, so a larger set begins with the users of a smaller one. All draws
// are integers and the same on every machine.
//
// In scope: the files. Out of scope: reading them, samples.
package preferences
