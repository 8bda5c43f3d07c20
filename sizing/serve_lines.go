package sizing

// lines are the seconds of one step at a load, and of the first token where that is asked for.
func (s *service) lines(l *loaded, q Quantity) []Line {
	x := max(1, l.inFlight) / s.stages
	batch := Input{"b", x, "requests"}
	each := func(part string, seconds, of float64, formula, source string) Line {
		return Line{part, seconds, formula, []Input{batch, {"t", of, "s"}}, source}
	}
	if q == ServeTTFT {
		return []Line{
			{"overhead", s.admission, "o", []Input{{"o", s.admission, "s"}}, sourceFitted},
			{"prompt", s.pass(s.prompt - s.skip), "max(W ÷ BW, 2 · N · p ÷ R) + attention + launches",
				[]Input{{"p", s.prompt, "tokens"}}, sourceRoofline},
			{"queue", max(0, l.ttft-s.admission-s.pass(s.prompt-s.skip)), "λ · F² ÷ 2 ÷ (1 − λ · F) + steps",
				[]Input{{"F",
					s.delay(l.inFlight), "s"}}, sourceLittle},
		}
	}
	read := s.read(x) + s.unpackFor(x)
	lines := []Line{each("weights", read, s.weights, "W(b) ÷ (BW · e · n)", sourceRoofline)}
	if extra := s.multiply*x - read; extra > 0 {
		lines = append(lines, each("matrices", extra, s.multiply, "2 · N · b ÷ (R · MFU · n) − weights",
			sourceRoofline))
	}
	if s.routed > 0 {
		lines = append(lines, each("routed", s.routed*x, s.routed, "b · k · (2 · h + 3 · i) · B ÷ (BW · n)",
			sourceRouted))
	}
	lines = append(lines, each("kv", s.cached*s.fullest(x), s.cached, "b · KV ÷ (BW · e · n)", sourceRoofline),
		s.launch(x, batch), each("overhead", s.stages*s.token*s.fullest(x), s.stages*s.token, "b · o", sourceFitted))
	if s.reduced > 0 {
		lines = append(lines, each("communication", s.reduced*x, s.reduced, "8 · L · b · h · (n − 1) ÷ n ÷ link",
			sourceTensor))
	}
	if wait := l.tpot*s.yield - s.step(max(1, l.inFlight)); wait > 0 {
		lines = append(lines, Line{"prompt", wait, "step · λ · F ÷ (1 − λ · F)",
			[]Input{{"F", s.delay(l.inFlight), "s"}},
			sourceLittle})
	}
	return lines
}

// launch is what a step of so many requests takes to launch, beside what the card is busy with meanwhile.
func (s *service) launch(x float64, batch Input) Line {
	host := s.stages * s.host
	l := Line{"launch", s.fixed + host, "L · o + host", []Input{batch, {"t", s.fixed + host, "s"}}, sourceFitted}
	if busy := s.busy(x); s.launched(busy, x*s.work) > busy {
		l.Value, l.Formula = s.eager-busy+s.fixed+host, "L · e − work + host"
		l.Inputs = []Input{batch, {"L · e", s.eager, "s"}, {"work", busy - s.fixed, "s"}, {"host", host, "s"}}
	}
	return l
}

const sourceRouted = "T. Gale et al., MegaBlocks, arXiv:2211.15841: tokens are sorted and copied for the experts"

const sourceLittle = "Orca, OSDI 2022; Little, Operations Research 9 (1961)"
