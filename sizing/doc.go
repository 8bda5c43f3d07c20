// Package sizing estimates what a job of machine learning needs of an
// accelerator and how fast it runs there: memory, speed and cost.
//
// Every estimate is made in two steps. A formula of the field gives a value, with
// the numbers put in, so that it can be checked by hand. Then the measured cases
// nearest to the job correct it: the logarithm of measured ÷ formula is a random
// field over jobs ([tianti/sizing/kriging]) whose parts (framework, card,
// model, …) were fitted from the cases. Where cases are near, the correction is
// theirs and the interval narrow; far from all cases the formula stands alone and
// the interval is wide. [Evidence] names the cases.
//
// Units: bytes, seconds, operations (a multiply-accumulate is two) and tokens
// without prefix, unless a name says otherwise.
package sizing
