import type { Membership } from '../club.ts'
import { type Html, html } from '../html.ts'
import type { Visitor } from '../visitors.ts'
import { frame } from './frame.ts'

/** `origin`: of the shop, for the link that friends get. */
export const clubPage = (visitor: Visitor, member: Membership | null, origin: string): Html =>
  frame('Club', visitor, html`<h1>Coffee club</h1>${member === null ? invitation : panel(member, origin)}`)

const invitation = html`<p class="lead">One point for every €1.00, rewards for points, and 10 % off for your friends. You start with 20 points.</p>
<form method="post" action="/club/join"><button class="main">Join the club</button></form>`

const panel = (member: Membership, origin: string) => html`<div class="columns">
<section class="card" aria-label="Points">
  <p class="points"><strong>${member.points}</strong> points</p>
  <p>${member.tier === null ? 'No tier yet' : html`<span class="tier">${member.tier}</span>`} · card <code>${member.card}</code></p>
  <h2>Rewards</h2>
  <ul class="codes">${member.rewards.map((reward) => rewardRow(reward, member.points))}</ul>
  ${member.coupons.length === 0 ? null : coupons(member.coupons)}
</section>
<section class="card" aria-label="Friends">
  <h2>Bring a friend</h2>
  <p>Your friend gets 10 % off, and you get €5.00 off after their order. Send them this link:</p>
  <p><a class="link" href="/friend/${member.friend_code}">${origin}/friend/${member.friend_code}</a></p>
</section>
</div>`

const rewardRow = ({ id, name, points }: Membership['rewards'][number], balance: number) => html`<li>
  <div>${name}<small>${points} points</small></div>
  ${
    balance < points
      ? html`<span class="missing">${points - balance} points to go</span>`
      : html`<form method="post" action="/club/reward">
    <input type="hidden" name="reward" value="${id}">
    <button aria-label="Get it: ${name}">Get it</button>
  </form>`
  }
</li>`

const coupons = (codes: string[]) => html`<h2>Your codes</h2>
<ul class="codes">${codes.map(
  (code) => html`<li>
  <code>${code}</code>
  <form method="post" action="/cart/code">
    <input type="hidden" name="code" value="${code}">
    <button class="quiet" aria-label="Use ${code}">Use</button>
  </form>
</li>`,
)}</ul>`
