// Package plot sets cards as points of two quantities: which of them no other is
// better than in both, which others are better than a card, and in which groups
// they are told apart. It also holds the roofline model: what rate a card can reach
// at an arithmetic intensity.
package plot
