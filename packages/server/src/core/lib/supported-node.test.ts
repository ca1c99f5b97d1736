import { expect, test } from 'vitest'
import { whyNotNode } from './supported-node.ts'

test.each([
  ['v22.18.0', null],
  ['v22.20.1', null],
  ['v24.0.0', null],
  ['v22.17.1', 'Guerdon needs Node 22.18 or newer; this is Node 22.17.1.'],
  ['v20.20.2', 'Guerdon needs Node 22.18 or newer; this is Node 20.20.2.'],
])('Node %s', (running, problem) => {
  expect(whyNotNode(running, '>=22.18')).toBe(problem)
})
