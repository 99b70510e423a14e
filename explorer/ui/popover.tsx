import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import './dialog.css'

/** Pixels around the panel. */
const margin = 8

/** A button that opens a panel below itself. The browser closes the panel on Escape or on a click elsewhere. */
export function Popover({ label, children }: { label: string; children: ComponentChildren }) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const place = (panel: HTMLElement) => {
    const { left, bottom } = button.current?.getBoundingClientRect() ?? { left: 0, bottom: 0 }
    const most = innerWidth - panel.offsetWidth - margin
    panel.style.left = `${Math.max(margin, Math.min(left, most))}px`
    panel.style.top = `${bottom + margin}px`
    panel.style.maxHeight = `${innerHeight - bottom - 2 * margin}px`
  }
  return (
    <>
      <button ref={button} type="button" class="button" popoverTarget={id}>
        {label}
      </button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        class="popover card"
        onToggle={event => {
          setOpen(event.newState === 'open')
          place(event.currentTarget)
        }}
      >
        {isOpen && children}
      </div>
    </>
  )
}
