import { Check } from '../ui/inputs.tsx'

interface Props {
  legend: string
  choices: [name: string, label: string][]
  chosen: string[]
  onChange: (chosen: string[]) => void
}

/** Boxes to check, of which any number may be checked. */
export const Checks = ({ legend, choices, chosen, onChange }: Props) => (
  <fieldset class="checks stack">
    <legend class="label">{legend}</legend>
    {choices.map(([name, label]) => (
      <Check
        key={name}
        checked={chosen.includes(name)}
        onChange={isChosen => onChange(isChosen ? [...chosen, name] : chosen.filter(other => other !== name))}
      >
        {label}
      </Check>
    ))}
  </fieldset>
)
