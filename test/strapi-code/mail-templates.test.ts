import { expect } from 'chai';
import { filledTemplate } from '../../src/strapi/mail-templates.js';

describe("templates of a Strapi project's mails", () => {
  const filled = (text: string, data: unknown): unknown =>
    filledTemplate({ subject: 's', text, html: '' }, data)['text'];

  it('have the values of the data in them, as they are', () => {
    const data = { user: { name: '<Ann>', role: { type: 'x' } }, n: 0, none: null };
    expect(filled('a <%= user.name %>, <%=n%> <%= none %>|<%= user.role.type %>', data)).to.equal(
      'a <Ann>, 0 |x',
    );
    expect(filledTemplate({ subject: '', text: '50 % <b>', html: '<p>' }, {})).to.eql({
      text: '50 % <b>',
      html: '<p>',
    });
  });

  it('have all three parts, and no code', () => {
    expect(() => filledTemplate({ text: 'a' }, {})).to.throw(
      'missing from your email template : subject, html',
    );
    for (const text of [
      '<%= user.password %>',
      '<% process.exit() %>',
      '<%- n %>',
      '<%= constructor %>',
      '<%= n + 1 %>',
    ])
      expect(() => filled(text, { n: 1, user: { name: 'a' } }), text).to.throw(
        'is not supported by Mangrove',
      );
  });
});
