package oracles

import (
	"errors"
	"fmt"
	"path/filepath"
)

// refusals are what each layer must say about proof/bad.xml. A classpath without a JAXB implementation, for one, refuses
// every document without any rule id.
var refusals = []string{"XSD", "BR-02", "BR-DE-15"}

// prove judges one document known to be good and one known to be bad.
func (j *Judge) prove(folder string) error {
	good, err := j.Verdict(filepath.Join(folder, "good.xml"))
	if err != nil {
		return fmt.Errorf("prove the judge: %w", err)
	}
	if len(good.Findings) != 0 {
		return fmt.Errorf("prove the judge: the good document is refused: %+v", good.Findings)
	}
	bad, err := j.Verdict(filepath.Join(folder, "bad.xml"))
	if err != nil {
		return fmt.Errorf("prove the judge: %w", err)
	}
	var missing error
	for _, id := range refusals {
		if bad.Fatal[id] == 0 {
			missing = errors.Join(missing, fmt.Errorf("prove the judge: %s does not fire on the bad document", id))
		}
	}
	return missing
}
