package stamp

// carryOut what p has decided, and say so.
func (p *plan) carryOut() error {
	p.decision.begin(&p.Result)

	if p.failsBy(p.write()) {
		return nil
	}

	if err := p.remember(); err != nil {
		return err
	}

	p.keepFixed()
	p.noteLast()
	p.noteIgnored()

	if p.LeftAlone == "" {
		p.done = true
		p.decision.conclude(&p.Result, p.judged)
	}

	return nil
}
