package framelog

// A Kind says what the text of a frame is.
type Kind byte

// The kinds of records, as JSON.
const (
	Hit        Kind = 'h'
	Arrival    Kind = 'a'
	Connection Kind = 'c'
	Flow       Kind = 'f'
	Event      Kind = 'e'
)

// The kinds that an agent needs besides.
const (
	Head    Kind = 'b' // first in a segment: the state of its lane before it, as JSON
	Sent    Kind = 's' // the number of a request that is about to be sent
	Trouble Kind = 't' // the first trouble of the lane
	End     Kind = 'n' // after what an agent answers: where that ends, as JSON
)
