import { type Html, html } from './layout.ts'

/** Formats a stored time for people, to the minute. Pages have no script that would know their time zone. */
export const formatTime = (time: string): Html => format(time, `${time.slice(0, 16).replace('T', ' ')} UTC`)

export const formatDay = (time: string): Html => format(time, time.slice(0, 10))

const format = (time: string, text: string): Html => html`<time datetime="${time}">${text}</time>`
