export { TableButtons } from './buttons.tsx'
export { OpenView } from './open-view.tsx'
export { Table } from './table.tsx'
