interface Props {
  label: string
  value: string
  onChange: (message: string) => void
}

/** The field for the message of a revision. */
export const MessageField = ({ label, value, onChange }: Props) => (
  <input
    class="field"
    aria-label={label}
    placeholder={label}
    maxLength={1000}
    value={value}
    onInput={event => onChange(event.currentTarget.value)}
  />
)
